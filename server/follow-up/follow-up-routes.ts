import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  findSubmission,
  markSubmissionContacted,
} from '../../shared/node/contact/contact-submission-store.ts';
import { isDatabaseUnavailable, type Database } from '../../shared/node/database.ts';
import { cancelFollowUps } from '../../shared/node/deliveries/delivery-store.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { readFollowUpToken } from '../../shared/node/signed-link.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { makeUnavailableError } from '../errors.ts';
import type { PageRenderer } from '../ssr/page-renderer.ts';

export interface FollowUpServices {
  readonly database: Database;
  readonly scheduler: DeliveryScheduler;
  readonly pages: PageRenderer;
  readonly linkSecrets: readonly string[];
}

const UNAVAILABLE = 'The request can’t be looked up right now. Please try again in a minute.';

type FollowUpRequest = FastifyRequest<{ Params: { token: string } }>;

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
  const { database, pages, linkSecrets } = services;
  // The form carries nothing: whatever body arrives is not read.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));

  const sendPage = async (request: FollowUpRequest, reply: FastifyReply, submissionId?: string) => {
    const submission = submissionId && (await findSubmission(database, submissionId));
    const html = submission
      ? await pages.renderFresh(pathTo.followUp(request.params.token), {
          followUp: { company: submission.company, isContacted: submission.contactedAt !== null },
        })
      : (await pages.renderNotFound()).identity;

    return reply
      .code(submission ? 200 : 404)
      .headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' })
      .type('text/html; charset=utf-8')
      .send(html);
  };

  const answer = async (request: FollowUpRequest, reply: FastifyReply, isMarking: boolean) => {
    const submissionId = readFollowUpToken(request.params.token, linkSecrets);
    try {
      if (isMarking && submissionId) await markContacted(services, submissionId);

      return await sendPage(request, reply, submissionId);
    } catch (error) {
      throw isDatabaseUnavailable(error) ? makeUnavailableError(UNAVAILABLE, error) : error;
    }
  };

  app.get(routePatterns.followUp, (request: FollowUpRequest, reply) => answer(request, reply, false));
  app.post(routePatterns.followUp, (request: FollowUpRequest, reply) => answer(request, reply, true));
}
