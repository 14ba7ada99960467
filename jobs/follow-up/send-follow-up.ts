import type { Resolver } from 'node:dns/promises';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { findFirstRequest } from '../../shared/node/contact/earlier-requests.ts';
import { listEventsOf, type SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { FollowUpStage } from '../../shared/deliveries/delivery.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import type { SentDelivery } from '../../shared/node/deliveries/leased-delivery.ts';
import { listFollowUpMails, type FollowUpMail } from '../../shared/node/deliveries/list-deliveries.ts';
import { noteAskedAgain } from '../../shared/node/follow-up/asked-again.ts';
import { takeTurn } from '../../shared/node/follow-up/sales-rotation.ts';
import { isUnreachable } from '../../shared/node/mail/receives-mail.ts';
import { normalizeMailbox, selectMailboxes } from '../../shared/node/mail/email-address.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { loadSubmission, sendMail, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import { toHeaderText } from '../../shared/node/mail/untrusted-text.ts';
import { sendWithoutRefusedWords, type Mailer, type OutgoingMail } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import type { MailSettings } from '../mail-settings.ts';
import { writeFollowUpMail } from './follow-up-mail.ts';
import { findOnlyReader, makeRequestLink } from './request-link.ts';

export type FollowUpSettings = Pick<
  MailSettings,
  'siteName' | 'bookingUrl' | 'publicUrl' | 'linkSecrets' | 'sales' | 'assignment' | 'timeZone' | 'promise'
>;

/** Whether it is the first mail of the plan, and to all whom it is for. */
const isFirstMail = ({ stage, eventId, recipient }: ClaimedDelivery) => stage === 'new' && eventId === null && recipient === null;

/** Whose turn a request is where they go round: the first mail of the plan decides it. Null: it is for all of sales. */
async function findTurn(
  database: Database,
  delivery: ClaimedDelivery,
  { assignment, sales }: FollowUpSettings,
): Promise<string | null> {
  const { submissionId } = delivery;
  if (assignment === 'all' || !isFirstMail(delivery) || submissionId === null || sales.length === 1) return null;

  return takeTurn(database, submissionId, sales);
}

/** The link to the request's page. The visitor may get it as a quotation, so nobody is known by it. */
function makeLink(submissionId: string, to: readonly string[], settings: FollowUpSettings): string {
  const address = findOnlyReader(to, settings.sales);

  return makeRequestLink(submissionId, settings, address === null ? undefined : { address, isKnown: false });
}

/** What happened to a request before a mail. */
interface Past {
  readonly mails: readonly FollowUpMail[];
  readonly events: readonly SubmissionEvent[];
}

/** Nothing before the first mail; a recipient who had refused it for the moment gets it after all others. */
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

/** The request that a mail names as the first. With several people in sales, that one's thread gets a note. */
async function readEarlier(
  database: Database,
  delivery: ClaimedDelivery,
  submission: Submission,
  settings: FollowUpSettings,
): Promise<FollowUp['earlier']> {
  const earlier = await findFirstRequest(database, submission);
  if (!earlier) return undefined;
  // A single person reads of both requests in this mail.
  if (settings.sales.length > 1 && isFirstMail(delivery)) await noteAskedAgain(database, earlier.id, submission.id);

  return { submission: earlier, events: await listEventsOf(database, earlier.id), url: makeRequestLink(earlier.id, settings) };
}

/** A delivery with what its mail is about. */
interface FollowUp {
  readonly delivery: ClaimedDelivery;
  readonly stage: FollowUpStage;
  readonly submission: Submission;
  readonly past: Past;
  /** Whose turn the request is. */
  readonly turn: string | null;
  readonly isUnreachable: boolean;
  readonly earlier: Parameters<typeof writeFollowUpMail>[2]['earlier'];
}

/** What somebody of sales did that made a mail; undefined for those of the plan. */
const findCause = ({ past, delivery }: FollowUp): SubmissionEvent | undefined =>
  past.events.find(({ id }) => id === delivery.eventId);

/** @throws DeliveryError when the request is erased or held */
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
 * The first mails about the request, so that a mailbox shows the later ones below: those for one address
 * of sales, as far as they have left, and last the one for all.
 */
export function listReferences(mails: readonly FollowUpMail[], ownId: string): string[] {
  const first = mails.filter(({ id, stage }) => stage === 'new' && id !== ownId);

  return [
    ...first.filter(({ recipient, sentAt, isUnderWay }) => recipient !== null && (sentAt !== null || isUnderWay)),
    ...first.filter(({ recipient }) => recipient === null),
  ].map(({ id }) => makeKey('new', id));
}

/** To whom a mail goes, and in whose place. */
interface Addressing {
  readonly to: readonly string[];
  /** Whom it was for, where their mail server refused it. */
  readonly refusedBy?: string | undefined;
}

/**
 * The mail to some of sales.
 * @param wasRefused their mail server refused what the visitor typed, which is left out
 */
function composeMail(
  followUp: FollowUp,
  settings: FollowUpSettings,
  { to, refusedBy }: Addressing,
  wasRefused: boolean,
): OutgoingMail {
  const { delivery, stage, submission, past, turn, earlier, isUnreachable: cannotReceive } = followUp;
  const cause = findCause(followUp);
  const isForOne = to.length === 1 && refusedBy === undefined;
  const mail = writeFollowUpMail(stage, submission, {
    ...settings,
    ...past,
    requestUrl: makeLink(submission.id, to, settings),
    now: new Date(),
    isForOne: isForOne && turn !== null,
    refusedBy,
    wasRefused,
    isUnreachable: cannotReceive,
    earlier,
    isForHolder: isForOne && selectMailboxes(to, [cause?.details.to ?? '']).length > 0,
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

/** The address of sales for which somebody of sales has caused a mail; null for one of the plan, or for all. */
function findAddressee(followUp: FollowUp): string | null {
  const cause = findCause(followUp);
  if (followUp.stage === 'new') return cause?.details.to ?? null;

  return followUp.stage === 'reminder' ? (cause?.by ?? null) : null;
}

/** Whether a mail is for one of sales alone. Else its recipient, if it has one, refused for the moment what all others have. */
function isPersonal(followUp: FollowUp): boolean {
  const { turn, delivery: { recipient } } = followUp;
  if (recipient === null) return turn !== null;
  const addressee = findAddressee(followUp);

  return addressee !== null && normalizeMailbox(addressee) === normalizeMailbox(recipient);
}

/**
 * All of sales; or the one of them whose turn it is, who is to have the request or asked to be reminded, or who
 * refused an earlier mail for the moment. Unless it is of the last kind, a mail goes to all when that one is of sales
 * no more.
 * @throws DeliveryError when all others have the mail
 */
function listRecipients(followUp: FollowUp, sales: readonly string[]): readonly string[] {
  const one = followUp.delivery.recipient ?? followUp.turn;
  const to = one === null ? sales : selectMailboxes(sales, [one]);
  if (to.length > 0) return to;
  if (isPersonal(followUp)) return sales;
  throw new DeliveryError('cancelled', 'recipient-removed');
}

/**
 * Creates the handler of follow-up deliveries: one mail to sales, unless they have answered.
 * @param resolver asks DNS of the visitor's domain; the system's unless given
 */
export function createFollowUpHandler(
  database: Database,
  mailer: Mailer,
  settings: FollowUpSettings,
  resolver?: Resolver,
): DeliveryHandler {
  return async (delivery, signal) => {
    const followUp = await loadFollowUp(database, delivery, settings, resolver);
    // All mails about the request have the words that a filter refuses: sales would never hear of it.
    const send = (addressing: Addressing): Promise<SentDelivery> =>
      sendWithoutRefusedWords((wasRefused) =>
        sendMail({ database, mailer, delivery, signal }, composeMail(followUp, settings, addressing, wasRefused)),
      );

    const to = listRecipients(followUp, settings.sales);
    try {
      return await send({ to });
    } catch (error) {
      const others = settings.sales.filter((mailbox) => !to.includes(mailbox));
      const isForOthers = isPersonal(followUp) && others.length > 0 && toDeliveryError(error).isRecipientRefusedForGood;
      if (!isForOthers) throw error;
      // Else nobody would hear of the request before its next mail, or of what was asked for at all.
      return send({ to: others, refusedBy: to[0] });
    }
  };
}
