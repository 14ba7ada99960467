import type { FastifyInstance } from 'fastify';
import { parseMailAddress } from '../../shared/mailbox.ts';
import { applyOutcome, undoOutcome } from '../../shared/node/follow-up/apply-outcome.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { findReader } from '../../shared/node/mail/signed-action-link.ts';
import { routePatterns } from '../../shared/paths.ts';
import { Day, Second } from '../../shared/time.ts';
import { scheduleInBackground, type SchedulingServices } from '../deliveries/schedule-in-background.ts';
import {
  routeSignedActionPages,
  type SignedActionPageServices,
  type SignedActionLink,
} from '../pages/signed-action-pages.ts';
import { AppError } from '../http/errors.ts';
import { readTextField } from '../http/request-body.ts';
import { readFollowUpForm, readReader } from './follow-up-form.ts';
import { readFollowUp, type FollowUpPageSettings } from './read-follow-up.ts';

export interface FollowUpServices extends SignedActionPageServices, SchedulingServices {
  readonly database: Database;
}

const identify = ({ token, mark = '' }: SignedActionLink, sales: readonly string[], secrets: readonly string[]) =>
  findReader(token, mark, sales, secrets);

const TOO_MANY_OUTCOMES =
  'This request was changed too often today. Use the link in the last mail about a change, or try again tomorrow.';

/** Runs the action of the pressed button. @throws AppError if the form is invalid or the link was used too often */
async function act(
  services: FollowUpServices,
  { timeZone, sales, assignment }: FollowUpPageSettings,
  link: SignedActionLink,
  form: unknown,
): Promise<void> {
  const { database, linkSecrets } = services;
  const linked = identify(link, sales, linkSecrets);
  const wanted = await readFollowUpForm(form, { database, timeZone, sales, linked: linked.address });
  const reader = { ...linked, address: readReader(form, sales) ?? linked.address };
  const scheduled =
    wanted.what === 'undo'
      ? await undoOutcome(database, link.id, wanted.eventId, reader)
      : await applyOutcome(database, link.id, wanted, reader, sales.length > 1 && assignment === 'all');
  if (scheduled === 'limited') throw new AppError('rate-limited', TOO_MANY_OUTCOMES, { retryAfterSeconds: 1 * (Day / Second) });
  if (scheduled !== 'settled') return scheduleInBackground(services, scheduled);
  // Pressing a button again is harmless, but a reply to a settled request would be a second answer.
  if (readTextField(form, 'reply') === 'yes') {
    throw new AppError('already-settled', 'This request was settled since its page was loaded.');
  }
}

interface FollowUpRoutesOptions extends FollowUpServices {
  readonly followUp: FollowUpPageSettings;
}

/** Routes the page that mails to sales link to, and its buttons. */
export async function followUp(app: FastifyInstance, { followUp: page, ...services }: FollowUpRoutesOptions): Promise<void> {
  const settings = { ...page, sales: page.sales.map(parseMailAddress) };
  const { database, linkSecrets } = services;

  await routeSignedActionPages(app, services, [
    {
      pattern: routePatterns.followUp,
      purpose: 'follow-up',
      readState: async (link, errors) => {
        const reader = identify(link, settings.sales, linkSecrets);
        const state = await readFollowUp(database, { ...settings, linkSecrets }, link, reader);

        return state && { followUp: { ...state, errors: errors ?? {} } };
      },
      act: (link, form) => act(services, settings, link, form),
      unavailable: 'The request can’t be looked up right now. Please try again in a minute.',
    },
  ]);
}
