import type { FastifyInstance } from 'fastify';
import {
  findSubmission,
  markSubmissionContacted,
} from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database.ts';
import { cancelFollowUps } from '../../shared/node/deliveries/delivery-store.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { routePatterns } from '../../shared/paths.ts';
import { registerSignedPages, type SignedPageServices } from '../signed-pages.ts';

export interface FollowUpServices extends SignedPageServices {
  readonly database: Database;
  readonly scheduler: DeliveryScheduler;
}

/** Notes the answer and calls off the mails that are still to come. */
async function markContacted(services: FollowUpServices, submissionId: string): Promise<void> {
  const { database, scheduler } = services;
  const cancelled = await database.transaction(async (transaction) => {
    await markSubmissionContacted(transaction, submissionId);

    return cancelFollowUps(transaction, submissionId);
  });

  // Best effort: a job whose delivery is cancelled does nothing.
  if (scheduler.isReady()) await scheduler.unschedule('follow-up', cancelled).catch(() => undefined);
}

/** The page behind a 'Mark as contacted' link, and its effect. */
export async function registerFollowUp(
  app: FastifyInstance,
  services: FollowUpServices,
): Promise<void> {
  registerSignedPages(app, services, [
    {
      pattern: routePatterns.followUp,
      purpose: 'follow-up',
      readState: async (id) => {
        const submission = await findSubmission(services.database, id);

        return (
          submission && {
            followUp: { company: submission.company, isContacted: submission.contactedAt !== null },
          }
        );
      },
      act: (id) => markContacted(services, id),
      unavailable: 'The request can’t be looked up right now. Please try again in a minute.',
    },
  ]);
}
