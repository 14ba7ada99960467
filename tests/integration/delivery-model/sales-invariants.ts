import type { StoredDelivery, StoredEvent, StoredTurn } from './site.ts';
import type { World } from './world.ts';

/** A rule that must hold after every command. Returns its violations. */
export type Invariant = (world: World) => readonly string[];

/** Tolerance for comparing times, in milliseconds. */
export const TOLERANCE = 100;

/** A request's events, in order. An erased request has none. */
const getEvents = ({ stored }: World, submissionId: string) =>
  stored.events.filter((event) => event.submissionId === submissionId);

const isTurn = ({ what }: StoredEvent) => what === 'rotate';

const isErased = ({ stored }: World, submissionId: string) =>
  stored.submissions.some(({ id, isErased: isGone }) => id === submissionId && isGone);

/** Whether a delivery is the first mail of a request's plan. */
const isFirstMail = ({ kind, stage, eventId, recipient }: StoredDelivery) =>
  kind === 'follow-up' && stage === 'new' && eventId === null && recipient === null;

/** Whether a sales address gets a shared mail, which is a mail without a recipient of its own. */
export function isFor(world: World, delivery: StoredDelivery, address: string): boolean {
  if (world.assignment === 'all' || !isFirstMail(delivery)) return true;
  const turn = getEvents(world, delivery.submissionId).find(isTurn);

  // A request without a turn was assigned by hand before its first mail (see `firstMailsGoToThePersonInTurn`).
  return turn !== undefined && (turn.to === null || turn.to === address);
}

/** The first mail goes only to the person whose turn it is, or to anyone who was assigned the request earlier. */
const firstMailsGoToThePersonInTurn: Invariant = (world) =>
  world.stored.deliveries
    .filter((delivery) => world.assignment === 'rotate' && isFirstMail(delivery))
    .filter(({ submissionId }) => !isErased(world, submissionId))
    .flatMap(({ id, submissionId }) => {
      const events = getEvents(world, submissionId);
      const turn = events.find(isTurn);
      const before = turn ? events.slice(0, events.indexOf(turn)) : events;
      const allowed = [turn?.to, ...before.filter(({ what }) => what === 'assign').map(({ to }) => to)];

      return world.history.sends
        .filter((send) => send.deliveryId === id && send.handedOverAt > world.restoredAt)
        .flatMap(({ recipients }) => recipients)
        .filter((recipient) => turn?.to !== null && !allowed.includes(recipient))
        .map((recipient) => `the first mail about request ${submissionId} was sent to ${recipient}, who isn't the assignee`);
    });

/** The mail about an assignment goes only to the assignee. */
const assignmentMailsGoToTheAssignee: Invariant = ({ stored, history }) =>
  stored.deliveries
    .filter(({ eventId, stage }) => eventId !== null && stage === 'new')
    .flatMap(({ id, eventId }) => {
      const event = stored.events.find((one) => one.id === eventId);

      return history.sends
        .filter(({ deliveryId }) => event !== undefined && deliveryId === id)
        .filter(({ recipients }) => recipients.join() !== event?.to)
        .map(({ recipients }) => `a request assigned to ${event?.to} was mailed to ${recipients.join()}`);
    });

/** A request belongs to its last assignee, otherwise to the person whose turn it was, otherwise to everyone. */
const requestsBelongToTheLastAssignee: Invariant = (world) =>
  world.stored.submissions
    .filter(({ id, isErased: isGone, assignedTo }) => {
      const events = getEvents(world, id);
      const assignment = events.findLast(({ what, isUndone }) => what === 'assign' && !isUndone);
      const owner = (assignment ?? events.find(isTurn))?.to ?? null;

      return assignedTo !== (isGone ? null : owner);
    })
    .map(({ id, assignedTo }) => `request ${id} belongs to ${assignedTo}`);

/** Returns the address whose turn is next, null if all are absent, or undefined if an absence ends about now. */
function findNext({ site }: World, turns: readonly StoredTurn[]): string | null | undefined {
  const all = site.config.mail.sales.map(
    (address) => turns.find((turn) => turn.address === address) ?? { address, lastAssignedAt: null, awayMs: null },
  );
  if (all.some(({ awayMs }) => awayMs !== null && Math.abs(awayMs) < TOLERANCE)) return undefined;
  const present = all.filter(({ awayMs }) => (awayMs ?? 0) <= 0);
  const [next] = present.sort((one, other) => (one.lastAssignedAt ?? -1) - (other.lastAssignedAt ?? -1));

  return next?.address ?? null;
}

/** Each request has at most one turn, and a new turn goes to the available person who has waited longest. */
const turnsFollowTheOrder: Invariant = (world) => {
  const { before, stored, restoredAt } = world;
  const turns = stored.events.filter(isTurn);
  const repeated = turns.filter(
    ({ id, submissionId }) => turns.some((other) => other.submissionId === submissionId && other.id !== id),
  );
  const known = new Set(before.stored.events.map(({ id }) => id));
  // Restored turns are not new. If there are several new turns, as at the end of a run, their order is unknown.
  const fresh = turns.filter(({ id }) => restoredAt <= before.event && !known.has(id));
  const next = findNext(world, before.stored.turns);
  const wrong = fresh.length === 1 && next !== undefined ? fresh.filter(({ to }) => to !== next) : [];

  return [
    ...repeated.map(({ submissionId }) => `request ${submissionId} had two turns`),
    ...wrong.map(({ to }) => `it was not ${to}'s turn`),
    ...(world.assignment === 'all' ? turns.map(({ submissionId }) => `request ${submissionId} had a turn`) : []),
  ];
};

/** Deliveries to deferred recipients belong to the same mail as the shared delivery. */
export const isSameMail = (one: StoredDelivery, other: StoredDelivery) =>
  one.submissionId === other.submissionId && one.stage === other.stage && one.eventId === other.eventId;

/**
 * While a request is snoozed, no reminder and no mail that an earlier snooze moved is sent. Mails whose hand-over began
 * earlier are allowed.
 */
const noReminderIsSentWhilePutOff: Invariant = ({ stored, history, putOffTimes }) =>
  history.sends
    .filter(({ deliveryId, submissionId, handedOverAt, time }) => {
      const delivery = stored.deliveries.find(({ id }) => id === deliveryId);
      if (!delivery) return false;
      const sameMail = stored.deliveries.filter((one) => isSameMail(one, delivery)).map(({ id }) => id);

      return putOffTimes.some(({ from, to, until, isPastPromise, ...putOff }) => {
        const isMoved = delivery.stage === 'due' && (isPastPromise || delivery.eventId !== null);
        const canWait = delivery.stage === 'reminder' || delivery.stage === 'overdue' || isMoved;
        const wasUnderWay = history.handOvers.some((one) => sameMail.includes(one.deliveryId) && one.at < from);
        const isWithin = from < handedOverAt && handedOverAt < to && time < until - TOLERANCE;

        return putOff.submissionId === submissionId && canWait && isWithin && !wasUnderWay;
      });
    })
    .map(({ deliveryId }) => `reminder ${deliveryId} was sent although its request was snoozed`);

export const salesInvariants: readonly Invariant[] = [
  firstMailsGoToThePersonInTurn,
  assignmentMailsGoToTheAssignee,
  requestsBelongToTheLastAssignee,
  turnsFollowTheOrder,
  noReminderIsSentWhilePutOff,
];
