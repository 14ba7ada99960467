import * as v from 'valibot';
import type { WantedOutcome } from '../../shared/node/follow-up/apply-outcome.ts';
import { MAX_SNOOZE_DAYS, readSnoozeTime } from '../../shared/node/follow-up/snooze-time.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { normalizeMailbox } from '../../shared/node/mail/email-address.ts';
import { cleanText } from '../../shared/node/mail/untrusted-text.ts';
import { followUpActions, MAX_UNFIT_REASON } from '../../shared/contact/outcomes.ts';
import { AppError } from '../http/errors.ts';
import { readTextField } from '../http/request-body.ts';

const formSchema = v.optional(v.object({ action: v.optional(v.picklist(followUpActions), 'contacted') }), {});

/** The action that a form requests. An undo may name the event. */
type WantedAction = WantedOutcome | { readonly what: 'undo'; readonly eventId: string | undefined };

interface FormContext {
  readonly database: Database;
  readonly timeZone: string;
  /** The sales addresses. */
  readonly sales: readonly string[];
  /** The address that the link names, if any. */
  readonly linked: string | null;
}

/** Maximum length of a mailbox. Normalizing longer text may take quadratic time. */
const MAX_MAILBOX = 1_000;
/** NFC combines at most four characters into one. */
const NFC_FACTOR = 4;

const makeFieldError = (field: string, message: string) =>
  new AppError('invalid-fields', message, { errors: { [field]: message } });

async function readSnooze(form: unknown, { database, timeZone }: FormContext): Promise<WantedOutcome> {
  const until = await readSnoozeTime(database, readTextField(form, 'until') ?? '', timeZone);
  if (!until) {
    throw makeFieldError('until', `Please choose a future day within ${MAX_SNOOZE_DAYS} days.`);
  }

  return { what: 'snooze', until, isPastPromise: readTextField(form, 'past_promise') === 'yes' };
}

/** Returns the entry in `sales` that matches a field's address. */
function findSalesAddress(form: unknown, field: 'to' | 'reader', sales: readonly string[]): string | undefined {
  const given = readTextField(form, field) ?? '';
  const wanted = given.length <= MAX_MAILBOX ? normalizeMailbox(given) : '';

  return sales.find((address) => normalizeMailbox(address) === wanted);
}

/** Returns the entry in `sales` that the form names as its reader. */
export const readReader = (form: unknown, sales: readonly string[]) => findSalesAddress(form, 'reader', sales);

/** Reads the assignee: `to`, or else the reader that the browser or the link names. */
function readAssignment(form: unknown, { sales, linked }: FormContext): WantedOutcome {
  const field = readTextField(form, 'to') === undefined ? 'reader' : 'to';
  const to = readTextField(form, field) === undefined ? linked : findSalesAddress(form, field, sales);
  if (!to) {
    throw makeFieldError(field, `Please enter ${field === 'to' ? 'a colleague’s' : 'your'} sales email address.`);
  }

  return { what: 'assign', to };
}

function readUnfit(form: unknown): WantedOutcome {
  const typed = cleanText(readTextField(form, 'reason') ?? '').trim();
  const reason = typed.length <= MAX_UNFIT_REASON * NFC_FACTOR ? typed.normalize('NFC') : typed;
  if (reason.length > MAX_UNFIT_REASON) {
    throw makeFieldError('reason', `Please use at most ${MAX_UNFIT_REASON} characters.`);
  }

  return { what: 'unfit', reason: reason === '' ? null : reason };
}

/**
 * Reads a form's action. Without `action` the request is marked as contacted.
 * @throws AppError for an unknown or repeated action, or with field errors
 */
export async function readFollowUpForm(form: unknown, context: FormContext): Promise<WantedAction> {
  const parsed = v.safeParse(formSchema, form);
  if (!parsed.success) throw new AppError('invalid-request', 'Please press one of the page’s buttons.');

  switch (parsed.output.action) {
    case 'contacted':
      return { what: 'contacted' };
    case 'snooze':
      return readSnooze(form, context);
    case 'assign':
      return readAssignment(form, context);
    case 'unfit':
      return readUnfit(form);
    case 'undo':
      return { what: 'undo', eventId: readTextField(form, 'event') };
  }
}
