import type { StoredDelivery, StoredEvent, StoredTurn } from './site.ts';
import type { World } from './world.ts';

/** A rule that holds after every command; it lists what breaks it. */
export type Invariant = (world: World) => readonly string[];

/** A time that differs by so many milliseconds may have been reached before or after. */
const SOON = 100;

/** The events of a request in their order; an erased one has none. */
const getEvents = ({ stored }: World, submissionId: string) =>
  stored.events.filter((event) => event.submissionId === submissionId);

const isTurn = ({ what }: StoredEvent) => what === 'rotate';

const isErased = ({ stored }: World, submissionId: string) =>
  stored.submissions.some(({ id, isErased: isGone }) => id === submissionId && isGone);

/** Whether it is the first mail of a request's plan. */
const isFirstMail = ({ kind, stage, eventId, recipient }: StoredDelivery) =>
  kind === 'follow-up' && stage === 'new' && eventId === null && recipient === null;

/** Whether one of sales is to get a mail that isn't for a single recipient by itself. */
export function isFor(world: World, delivery: StoredDelivery, address: string): boolean {
  if (world.assignment === 'all' || !isFirstMail(delivery)) return true;
  const turn = getEvents(world, delivery.submissionId).find(isTurn);

  // Without a turn it was handed over before: see `firstMailsGoToOne`.
  return turn !== undefined && (turn.to === null || turn.to === address);
}

/** The first mail goes to whose turn it is and to nobody else, or to whom the request was handed before. */
const firstMailsGoToOne: Invariant = (world) =>
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
        .map((recipient) => `the first mail about request ${submissionId} went to ${recipient}, who doesn't have it`);
    });

/** What is handed over, or asked for by one person, is mailed to that person. */
const handOversGoToOne: Invariant = ({ stored, history }) =>
  stored.deliveries
    .filter(({ eventId, stage }) => eventId !== null && stage === 'new')
    .flatMap(({ id, eventId }) => {
      const event = stored.events.find((one) => one.id === eventId);

      return history.sends
        .filter(({ deliveryId }) => event !== undefined && deliveryId === id)
        .filter(({ recipients }) => recipients.join() !== event?.to)
        .map(({ recipients }) => `a request handed to ${event?.to} was mailed to ${recipients.join()}`);
    });

/** A request belongs to whom it was handed last, else to whose turn it was, else to all. */
const requestsBelongToOne: Invariant = (world) =>
  world.stored.submissions
    .filter(({ id, isErased: isGone, assignedTo }) => {
      const events = getEvents(world, id);
      const handOver = events.findLast(({ what, isUndone }) => what === 'assign' && !isUndone);
      const owner = (handOver ?? events.find(isTurn))?.to ?? null;

      return assignedTo !== (isGone ? null : owner);
    })
    .map(({ id, assignedTo }) => `request ${id} belongs to ${assignedTo}`);

/** The address whose turn is next; undefined when it can't be told, null when all are away. */
function findNext({ site }: World, turns: readonly StoredTurn[]): string | null | undefined {
  const all = site.config.mail.sales.map(
    (address) => turns.find((turn) => turn.address === address) ?? { address, lastAssignedAt: null, awayMs: null },
  );
  if (all.some(({ awayMs }) => awayMs !== null && Math.abs(awayMs) < SOON)) return undefined;
  const there = all.filter(({ awayMs }) => (awayMs ?? 0) <= 0);
  const [next] = there.sort((one, other) => (one.lastAssignedAt ?? -1) - (other.lastAssignedAt ?? -1));

  return next?.address ?? null;
}

/** Each request has one turn at most, and each new turn is that of whoever waited longest and is not away. */
const turnsGoRound: Invariant = (world) => {
  const { before, stored, restoredAt } = world;
  const turns = stored.events.filter(isTurn);
  const repeated = turns.filter(
    ({ id, submissionId }) => turns.some((other) => other.submissionId === submissionId && other.id !== id),
  );
  const known = new Set(before.stored.events.map(({ id }) => id));
  // What a restore brings back is not new; and a life ends with several at once.
  const fresh = turns.filter(({ id }) => restoredAt <= before.event && !known.has(id));
  const next = findNext(world, before.stored.turns);
  const wrong = fresh.length === 1 && next !== undefined ? fresh.filter(({ to }) => to !== next) : [];

  return [
    ...repeated.map(({ submissionId }) => `request ${submissionId} had two turns`),
    ...wrong.map(({ to }) => `it was not the turn of ${to}`),
    ...(world.assignment === 'all' ? turns.map(({ submissionId }) => `request ${submissionId} had a turn`) : []),
  ];
};

/** Those of single recipients belong to the mail that was deferred. */
const isSameMail = (one: StoredDelivery, other: StoredDelivery) =>
  one.submissionId === other.submissionId && one.stage === other.stage && one.eventId === other.eventId;

/** While a request is put off no reminder comes, and nothing that an earlier choice had moved, but for one that was being handed over by then. */
const nothingComesWhilePutOff: Invariant = ({ stored, history, putOffTimes }) =>
  history.sends
    .filter(({ deliveryId, submissionId, handedOverAt, time }) => {
      const delivery = stored.deliveries.find(({ id }) => id === deliveryId);
      if (!delivery) return false;
      const family = stored.deliveries.filter((one) => isSameMail(one, delivery)).map(({ id }) => id);

      return putOffTimes.some(({ from, to, until, isPastPromise, ...putOff }) => {
        const isMoved = delivery.stage === 'due' && (isPastPromise || delivery.eventId !== null);
        const canWait = delivery.stage === 'reminder' || delivery.stage === 'overdue' || isMoved;
        const wasUnderWay = history.handOvers.some((one) => family.includes(one.deliveryId) && one.at < from);
        const isWithin = from < handedOverAt && handedOverAt < to && time < until - SOON;

        return putOff.submissionId === submissionId && canWait && isWithin && !wasUnderWay;
      });
    })
    .map(({ deliveryId }) => `reminder ${deliveryId} came although it was put off`);

export const salesInvariants: readonly Invariant[] = [
  firstMailsGoToOne,
  handOversGoToOne,
  requestsBelongToOne,
  turnsGoRound,
  nothingComesWhilePutOff,
];
