import type { FastifyInstance } from 'fastify';
import * as v from 'valibot';
import { describeSpamReasons } from '../../shared/contact/spam-signals.ts';
import { formatTime } from '../../shared/format-time.ts';
import {
  findSubmission,
  type Submission,
} from '../../shared/node/contact/contact-submission-store.ts';
import { listRequestFacts } from '../../shared/node/follow-up/request-facts.ts';
import type { DeliveryPlanner } from '../../shared/node/deliveries/delivery-store.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import { HELD_DAYS, listRequestsOfMail, markSubmissionSpam, releaseSubmission } from '../../shared/node/held-requests/held-requests.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { heldRequestActions } from '../../shared/contact/outcomes.ts';
import type { HeldRequestContent, HeldRequestState, ListedRequest } from '../../shared/page-state.ts';
import { Day } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';
import { scheduleInBackground } from '../deliveries/schedule-in-background.ts';
import { routeSignedActionPages } from '../pages/signed-action-pages.ts';
import type { FollowUpServices } from './follow-up-routes.ts';
import type { FollowUpPageSettings } from './read-follow-up.ts';

interface HeldRequestServices extends FollowUpServices {
  /** Plans the deliveries of a released request. */
  readonly plan: DeliveryPlanner;
}

const formSchema = v.object({ action: v.picklist(heldRequestActions) });

/** Runs the action of the pressed button. @throws AppError if the form names no action */
async function decide(services: HeldRequestServices, id: string, form: unknown): Promise<void> {
  const { database, plan } = services;
  const parsed = v.safeParse(formSchema, form);
  if (!parsed.success) throw new AppError('invalid-request', 'Please press one of the two buttons.');
  if (parsed.output.action === 'spam') return markSubmissionSpam(database, id);

  const scheduled = await database.transaction(async (transaction) =>
    releaseSubmission(transaction, id, await plan(transaction)),
  );
  scheduleInBackground(services, scheduled ?? []);
}

/** Returns everything that the visitor sent, and why it is held. */
function describeContent(submission: Submission, heldAt: Date, timeZone: string): HeldRequestContent {
  const { message, quarantineReasons, spamAt } = submission;

  return {
    reasons: describeSpamReasons(quarantineReasons, submission),
    // No links, because this may be spam.
    rows: listRequestFacts(submission).map(({ label, value }) => ({ label, value })),
    message,
    spamAt: spamAt && formatTime(spamAt, timeZone),
    erasedAt: formatTime(new Date(heldAt.getTime() + HELD_DAYS * Day), timeZone),
  };
}

/** Returns the other held requests in the same mail. */
async function listOthers(
  { database, linkSecrets }: HeldRequestServices,
  timeZone: string,
  { id, heldMailId }: Submission,
): Promise<ListedRequest[]> {
  const listed = heldMailId === null ? [] : await listRequestsOfMail(database, heldMailId);

  return listed
    .filter((submission) => submission.id !== id)
    .map((submission) => ({
      path: pathTo.heldRequest(signLinkToken('held', submission.id, linkSecrets)),
      company: submission.company,
      receivedAt: formatTime(submission.receivedAt, timeZone, 'short'),
      reasons: describeSpamReasons(submission.quarantineReasons, submission),
    }));
}

/** Returns what the page shows. Undefined for a request that was erased or never held. */
async function readHeldRequest(
  services: HeldRequestServices,
  { timeZone, promise }: FollowUpPageSettings,
  id: string,
): Promise<HeldRequestState | undefined> {
  const submission = await findSubmission(services.database, id);
  if (!submission || submission.anonymisedAt) return undefined;
  const { company, name, receivedAt, quarantinedAt, releasedAt } = submission;
  if (!quarantinedAt && !releasedAt) return undefined;

  return {
    company,
    name,
    receivedAt: formatTime(receivedAt, timeZone),
    content: quarantinedAt && describeContent(submission, quarantinedAt, timeZone),
    releasedAt: releasedAt && formatTime(releasedAt, timeZone),
    answerBy: formatTime(getAnswerBy(submission, promise), timeZone),
    others: await listOthers(services, timeZone, submission),
  };
}

interface HeldRequestRoutesOptions extends HeldRequestServices {
  readonly followUp: FollowUpPageSettings;
}

/** Routes the page behind a held request's link, and its two buttons. */
export async function heldRequests(app: FastifyInstance, { followUp: settings, ...services }: HeldRequestRoutesOptions): Promise<void> {
  await routeSignedActionPages(app, services, [
    {
      pattern: routePatterns.heldRequest,
      purpose: 'held',
      readState: async ({ id }) => {
        const heldRequest = await readHeldRequest(services, settings, id);

        return heldRequest && { heldRequest };
      },
      act: ({ id }, form) => decide(services, id, form),
      unavailable: 'The request can’t be looked up right now. Please try again in a minute.',
    },
  ]);
}
