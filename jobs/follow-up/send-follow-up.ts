import type { Resolver } from 'node:dns/promises';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { findFirstRequest } from '../../shared/node/contact/earlier-requests.ts';
import { listEventsOf, type SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { FollowUpStage } from '../../shared/deliveries/delivery.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import type { SentDelivery } from '../../shared/node/deliveries/leased-delivery.ts';
import { listFollowUpMails, type FollowUpMail } from '../../shared/node/deliveries/list-deliveries.ts';
import { recordAskedAgain } from '../../shared/node/follow-up/asked-again.ts';
import { takeTurn } from '../../shared/node/follow-up/sales-rotation.ts';
import { isUnreachable } from '../../shared/node/mail/receives-mail.ts';
import { normalizeMailbox, selectMailboxes } from '../../shared/node/mail/email-address.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { loadSubmission, sendMail, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import { toHeaderText } from '../../shared/node/mail/untrusted-text.ts';
import { sendOmittingRefusedText, type Mailer, type OutgoingMail } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import type { MailSettings } from '../mail-settings.ts';
import { writeFollowUpMail } from './follow-up-mail.ts';
import { findOnlyReader, makeRequestLink } from './request-link.ts';

export type FollowUpSettings = Pick<
  MailSettings,
  'siteName' | 'bookingUrl' | 'publicUrl' | 'linkSecrets' | 'sales' | 'assignment' | 'timeZone' | 'promise'
>;

/** Returns whether a delivery is the planned first mail, and not a retry for one recipient. */
const isFirstMail = ({ stage, eventId, recipient }: ClaimedDelivery) => stage === 'new' && eventId === null && recipient === null;

/** Returns whose turn it is, which the request's first mail decides. Null if the mail is for everyone in sales. */
async function findTurn(
  database: Database,
  delivery: ClaimedDelivery,
  { assignment, sales }: FollowUpSettings,
): Promise<string | null> {
  const { submissionId } = delivery;
  if (assignment === 'all' || !isFirstMail(delivery) || submissionId === null || sales.length === 1) return null;

  return takeTurn(database, submissionId, sales);
}

/** Returns the link to the request's page. Others may open it too, because an answer to the visitor may quote it. */
function makeLink(submissionId: string, to: readonly string[], settings: FollowUpSettings): string {
  const address = findOnlyReader(to, settings.sales);

  return makeRequestLink(submissionId, settings, address === null ? undefined : { address, isKnown: false });
}

/** A request's mails and events before the current mail. */
interface Past {
  readonly mails: readonly FollowUpMail[];
  readonly events: readonly SubmissionEvent[];
}

/** Reads a request's history, which is empty for the first mail. */
async function readPast(
  database: Database,
  delivery: ClaimedDelivery,
  submissionId: string,
): Promise<Past> {
  if (isFirstMail(delivery)) return { mails: [], events: [] };
  const [mails, events] = await Promise.all([
    listFollowUpMails(database, submissionId),
    listEventsOf(database, submissionId),
  ]);

  return { mails, events };
}

/** Returns the sender's first request. If there are several people in sales, adds a note to its thread. */
async function readEarlier(
  database: Database,
  delivery: ClaimedDelivery,
  submission: Submission,
  settings: FollowUpSettings,
): Promise<FollowUp['earlier']> {
  const earlier = await findFirstRequest(database, submission);
  if (!earlier) return undefined;
  // A single person sees both requests in this mail.
  if (settings.sales.length > 1 && isFirstMail(delivery)) await recordAskedAgain(database, earlier.id, submission.id, settings.sales);

  return { submission: earlier, events: await listEventsOf(database, earlier.id), url: makeRequestLink(earlier.id, settings) };
}

/** A delivery and the data for its mail. */
interface FollowUp {
  readonly delivery: ClaimedDelivery;
  readonly stage: FollowUpStage;
  readonly submission: Submission;
  readonly past: Past;
  /** Address of the person whose turn it is. */
  readonly turn: string | null;
  readonly isUnreachable: boolean;
  readonly earlier: Parameters<typeof writeFollowUpMail>[2]['earlier'];
}

/** Returns the event that triggered a mail; undefined if it was planned with the request. */
const findCause = ({ past, delivery }: FollowUp): SubmissionEvent | undefined =>
  past.events.find(({ id }) => id === delivery.eventId);

/** Loads a mail's data. @throws DeliveryError if the request is erased, held, or settled before its turn */
async function loadFollowUp(
  database: Database,
  delivery: ClaimedDelivery,
  settings: FollowUpSettings,
  resolver: Resolver | undefined,
): Promise<FollowUp> {
  const turn = await findTurn(database, delivery, settings);
  const submission = await loadSubmission(database, delivery);
  const { stage } = delivery;
  if (!stage) throw new DeliveryError('dead', 'no-stage');

  const past = await readPast(database, delivery, submission.id);
  const earlier = await readEarlier(database, delivery, submission, settings);

  return { delivery, stage, submission, turn, past, earlier, isUnreachable: await isUnreachable(submission.email, resolver) };
}

const makeKey = (stage: FollowUpStage, deliveryId: string) => `follow-up-${stage}-${deliveryId}`;

/**
 * Returns the keys of the request's first mails, so that mailboxes show one thread. Mails to single addresses that were
 * sent or are being sent come first, and the mail to everyone comes last.
 */
export function listReferences(mails: readonly FollowUpMail[], currentId: string): string[] {
  const first = mails.filter(({ id, stage }) => stage === 'new' && id !== currentId);

  return [
    ...first.filter(({ recipient, sentAt, isUnderWay }) => recipient !== null && (sentAt !== null || isUnderWay)),
    ...first.filter(({ recipient }) => recipient === null),
  ].map(({ id }) => makeKey('new', id));
}

/** The recipients of a mail. */
interface Addressing {
  readonly to: readonly string[];
  /** The original recipient, whose mailbox refused the mail. */
  readonly refusedBy?: string | undefined;
}

/** Composes the mail. @param wasRefused omits the visitor's text, which the mail server refused */
function composeMail(
  followUp: FollowUp,
  settings: FollowUpSettings,
  { to, refusedBy }: Addressing,
  wasRefused: boolean,
): OutgoingMail {
  const { delivery, stage, submission, past, turn, earlier, isUnreachable: cannotReceive } = followUp;
  const cause = findCause(followUp);
  const hasOneRecipient = to.length === 1 && refusedBy === undefined;
  const mail = writeFollowUpMail(stage, submission, {
    ...settings,
    ...past,
    requestUrl: makeLink(submission.id, to, settings),
    now: new Date(),
    isOnlyForTurn: hasOneRecipient && turn !== null,
    refusedBy,
    wasRefused,
    isUnreachable: cannotReceive,
    earlier,
    isOnlyForAssignee: hasOneRecipient && selectMailboxes(to, [cause?.details.to ?? '']).length > 0,
    cause,
  });

  return {
    key: makeKey(stage, delivery.id),
    references: listReferences(past.mails, delivery.id),
    to,
    ...renderMail(mail),
    ...(!wasRefused && { replyTo: { name: toHeaderText(submission.name), address: submission.email } }),
    headers: { 'X-Submission-Id': submission.id, 'X-Delivery-Stage': stage },
  };
}

/** Returns whom an event's mail is for; null if the mail was planned with the request or is for everyone in sales. */
function findAddressee(followUp: FollowUp): string | null {
  const cause = findCause(followUp);
  if (followUp.stage === 'new') return cause?.details.to ?? null;

  return followUp.stage === 'reminder' ? (cause?.by ?? null) : null;
}

/** Returns whether a mail is for one person. If not, `recipient` is an address that was temporarily refused. */
function isPersonal(followUp: FollowUp): boolean {
  const { turn, delivery: { recipient } } = followUp;
  if (recipient === null) return turn !== null;
  const addressee = findAddressee(followUp);

  return addressee !== null && normalizeMailbox(addressee) === normalizeMailbox(recipient);
}

/**
 * Returns the recipients: everyone in sales, or the one person whose turn it is, who was assigned, who asked for
 * the reminder, or who was temporarily refused. A personal mail goes to everyone if its recipient left SALES_EMAIL.
 * @throws DeliveryError if everyone else already has the mail
 */
function listRecipients(followUp: FollowUp, sales: readonly string[]): readonly string[] {
  const one = followUp.delivery.recipient ?? followUp.turn;
  const to = one === null ? sales : selectMailboxes(sales, [one]);
  if (to.length > 0) return to;
  if (isPersonal(followUp)) return sales;
  throw new DeliveryError('cancelled', 'recipient-removed');
}

/**
 * Creates the handler for follow-up deliveries, the mails to sales about a request.
 * @param resolver looks up the visitor's domain. Default: the system's
 */
export function createFollowUpHandler(
  database: Database,
  mailer: Mailer,
  settings: FollowUpSettings,
  resolver?: Resolver,
): DeliveryHandler {
  return async (delivery, signal) => {
    const followUp = await loadFollowUp(database, delivery, settings, resolver);
    // All mails about the request contain the refused text, so sales would otherwise never learn of it.
    const send = (addressing: Addressing): Promise<SentDelivery> =>
      sendOmittingRefusedText((wasRefused) =>
        sendMail({ database, mailer, delivery, signal }, composeMail(followUp, settings, addressing, wasRefused)),
      );

    const to = listRecipients(followUp, settings.sales);
    try {
      return await send({ to });
    } catch (error) {
      const others = settings.sales.filter((mailbox) => !to.includes(mailbox));
      const isForOthers = isPersonal(followUp) && others.length > 0 && toDeliveryError(error).isRecipientRefusedForGood;
      if (!isForOthers) throw error;
      // Otherwise sales would not learn of the request until its next mail.
      return send({ to: others, refusedBy: to[0] });
    }
  };
}
