import fastifyPlugin from 'fastify-plugin';
import { formatTime } from '../../shared/format-time.ts';
import {
  findSubmission,
  markSubmissionContacted,
} from '../../shared/node/contact/contact-submission-store.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { cancelFollowUps, isMailUnderWay } from '../../shared/node/deliveries/delivery-store.ts';
import { routePatterns } from '../../shared/paths.ts';
import type { FollowUpState } from '../../shared/rendering.ts';
import { unscheduleInBackground, type SchedulingServices } from '../deliveries/schedule-in-background.ts';
import { routeSignedActionPages, type SignedActionPageServices } from '../pages/signed-action-pages.ts';

export interface FollowUpServices extends SignedActionPageServices, SchedulingServices {
  readonly database: Database;
}

/** How the page shows times. */
export interface FollowUpSettings {
  readonly timeZone: string;
  /** Milliseconds within which an answer by sales is promised. */
  readonly dueAfter: number;
}

/** Records that sales has answered, and cancels the mails that are still to come. */
async function markContacted(services: FollowUpServices, submissionId: string): Promise<void> {
  const cancelled = await services.database.transaction(async (transaction) => {
    await markSubmissionContacted(transaction, submissionId);

    return cancelFollowUps(transaction, submissionId);
  });

  unscheduleInBackground(services, 'follow-up', cancelled);
}

/** Who asked and by when they expect an answer, and no more: the mail may be forwarded. */
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

interface FollowUpOptions extends FollowUpServices {
  readonly followUp: FollowUpSettings;
}

/** The page behind a 'Mark as contacted' link, and its effect. */
export const followUp = fastifyPlugin<FollowUpOptions>(
  async (app, { followUp: settings, ...services }) => {
    await routeSignedActionPages(app, services, [
      {
        pattern: routePatterns.followUp,
        purpose: 'follow-up',
        readState: async (id) => {
          const state = await readFollowUp(services, settings, id);

          return state && { followUp: state };
        },
        act: (id) => markContacted(services, id),
        unavailable: 'The request can’t be looked up right now. Please try again in a minute.',
      },
    ]);
  },
  { name: 'follow-up', encapsulate: true, dependencies: ['error-handler', 'request-guard'] },
);
