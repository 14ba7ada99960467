import { getIndustryLabel } from '../../shared/contact/industry-options.ts';
import { formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import { defangLine } from '../../shared/node/mail/untrusted-text.ts';
import { type ChatMessage, getChatFormat, postChatMessage } from '../../shared/node/outbound/chat-message.ts';
import type { MailSettings } from '../mail-settings.ts';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { classifyResponse, mayHaveArrived } from '../../shared/node/outbound/classify-response.ts';
import { isSuccess, type OutboundClient, type OutboundResponse } from '../../shared/node/outbound/outbound-client.ts';
import { loadSubmission, makeHandOver, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import { makeRequestLink } from '../follow-up/request-link.ts';

interface AnnouncementContext extends Pick<MailSettings, 'siteName' | 'timeZone' | 'promise'> {
  readonly requestUrl: string;
}

/** Writes the announcement. Only the company, industry, deadline and link: many people read the chat. */
function writeAnnouncement(
  submission: Submission,
  { siteName, timeZone, promise, requestUrl }: AnnouncementContext,
): ChatMessage {
  const { company, industry } = submission;
  const answerBy = getAnswerBy(submission, promise);

  return {
    title: `[${siteName}] New assessment request`,
    lines: [
      `Company: ${defangLine(company)}`,
      ...(industry === null ? [] : [`Industry: ${getIndustryLabel(industry)}`]),
      `Answer by: ${formatTime(answerBy, timeZone)}`,
    ],
    link: { label: 'Open the request', url: requestUrl },
    isUrgent: false,
    data: { site: siteName, event: 'request', company, industry, answer_by: answerBy.toISOString(), url: requestUrl },
  };
}

type AnnouncementSettings = Pick<MailSettings, 'siteName' | 'publicUrl' | 'linkSecrets' | 'timeZone' | 'promise'>;

type Chat = NonNullable<Config['chat']>;

/** Returns the error for a refusal. 401 and 403 delay only this message, because a firewall may reject one of its words. */
function classifyRefusal(chat: Chat, response: OutboundResponse): DeliveryError {
  const error = classifyResponse(`chat-${getChatFormat(chat)}`, response);

  return error.result === 'paused' ? new DeliveryError('retry', error.reason) : error;
}

/** Returns the error for a call that got no response, marked as ambiguous if the call may have arrived. */
function classifyFailedCall(error: unknown): unknown {
  if (!(error instanceof DeliveryError) || !mayHaveArrived(error)) return error;

  return new DeliveryError(error.result, error.reason, { cause: error.cause, isAmbiguous: true });
}

/** Creates the handler for deliveries that announce a request in the chat. */
export function createChatHandler(
  database: Database,
  chat: Config['chat'],
  client: OutboundClient,
  settings: AnnouncementSettings,
): DeliveryHandler {
  const write = (submission: Submission) =>
    writeAnnouncement(submission, { ...settings, requestUrl: makeRequestLink(submission.id, settings) });

  return async (delivery, signal) => {
    // The setting was removed after this delivery was planned.
    if (!chat) throw new DeliveryError('cancelled', 'chat-switched-off');
    const message = write(await loadSubmission(database, delivery));
    await makeHandOver(database, delivery)();

    let response: OutboundResponse;
    try {
      response = await postChatMessage(chat, message, client, signal);
    } catch (error) {
      throw classifyFailedCall(error);
    }
    if (!isSuccess(response)) throw classifyRefusal(chat, response);

    return { remoteRef: null, deferred: [] };
  };
}
