import type { FastifyInstance } from 'fastify';
import { formatTime } from '../../shared/format-time.ts';
import {
  findSubmission,
  markSubmissionContacted,
} from '../../shared/node/contact/contact-submission-store.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { cancelFollowUps, isMailUnderWay } from '../../shared/node/deliveries/delivery-store.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { routePatterns } from '../../shared/paths.ts';
import type { FollowUpState } from '../../shared/rendering.ts';
import { registerSignedActionPages, type SignedActionPageServices } from '../pages/signed-action-pages.ts';

export interface FollowUpServices extends SignedActionPageServices {
  readonly database: Database;
  readonly scheduler: DeliveryScheduler | undefined;
}

/** How the page tells times. */
export interface FollowUpSettings {
  readonly timeZone: string;
  /** Milliseconds within which an answer is promised. */
  readonly dueAfter: number;
}

/** Notes the answer and calls off the mails that are still to come. */
async function markContacted(services: FollowUpServices, submissionId: string): Promise<void> {
  const { database, scheduler } = services;
  const cancelled = await database.transaction(async (transaction) => {
    await markSubmissionContacted(transaction, submissionId);

    return cancelFollowUps(transaction, submissionId);
  });

  // Best effort: a job whose delivery is cancelled does nothing.
  if (scheduler?.isReady()) await scheduler.unschedule('follow-up', cancelled).catch(() => undefined);
}

/** Who asked and by when they expect an answer; whoever the mail was passed on to sees no more. */
async function readFollowUp(
  { database }: FollowUpServices,
  { timeZone, dueAfter }: FollowUpSettings,
  id: string,
): Promise<FollowUpState | undefined> {
  const submission = await findSubmission(database, id);
  if (!submission || submission.anonymizedAt) return undefined;
  const { company, name, receivedAt, contactedAt } = submission;

  return {
    company,
    name,
    receivedAt: formatTime(receivedAt, timeZone),
    answerBy: formatTime(getAnswerBy(submission, dueAfter), timeZone),
    contactedAt: contactedAt && formatTime(contactedAt, timeZone),
    isMailUnderWay: contactedAt !== null && (await isMailUnderWay(database, id)),
  };
}

/** The page behind a 'Mark as contacted' link, and its effect. */
export async function registerFollowUp(
  app: FastifyInstance,
  services: FollowUpServices,
  settings: FollowUpSettings,
): Promise<void> {
  await registerSignedActionPages(app, services, [
    {
      pattern: routePatterns.followUp,
      purpose: 'follow-up',
      readState: async (id) => {
        const followUp = await readFollowUp(services, settings, id);

        return followUp && { followUp };
      },
      act: (id) => markContacted(services, id),
      unavailable: 'The request can’t be looked up right now. Please try again in a minute.',
    },
  ]);
}
