import { planDeliveries, type DeliveryKind } from '../../../shared/deliveries/delivery.ts';
import { Day, Minute } from '../../../shared/time.ts';
import type { Claim, Send } from './history.ts';
import { isFor, isSameMail, salesInvariants, TOLERANCE, type Invariant } from './sales-invariants.ts';
import type { StoredDelivery } from './site.ts';
import { isSettled, type Accepted, type World } from './world.ts';

const describe = ({ kind, stage, recipient, state }: StoredDelivery) =>
  [kind, stage, recipient, state].filter((part) => part !== null).join(' ');

const getPlan = ({ site }: World) => planDeliveries(site.config.followUp);

/** Whether an operator erased a request, alone or with all earlier requests from the same person. */
const isErased = ({ erasures, erasedPeople }: World, { id, person, acceptedAt }: Accepted) =>
  erasures.has(id) || acceptedAt <= (erasedPeople.get(person) ?? -Infinity);

const isPlanned = ({ plannedAt }: Accepted) => plannedAt !== undefined;

const noAcceptedRequestIsLost: Invariant = (world) => {
  const { accepted, stored } = world;
  const ids = new Set(stored.submissions.map(({ id }) => id));
  const lost = accepted.filter(({ id }) => !ids.has(id)).map(({ id }) => `request ${id} is lost`);
  const missing = accepted.filter(isPlanned).flatMap(({ id }) =>
    getPlan(world)
      .filter(({ kind, stage }) => {
        const isPart = (one: StoredDelivery) => one.kind === kind && one.stage === stage && one.recipient === null;

        return !stored.deliveries.some((one) => one.submissionId === id && isPart(one));
      })
      .map(({ kind, stage }) => `request ${id} has no ${kind} ${stage ?? ''}`),
  );

  return [...lost, ...missing];
};

const isAcknowledgment = ({ kind }: { readonly kind: DeliveryKind }) => kind === 'acknowledgment';

/** The acknowledgments that a person received. */
const getAcknowledgments = ({ history, accepted }: World, person: number): Send[] =>
  history.sends.filter(
    (send) =>
      isAcknowledgment(send) && accepted.some(({ id, person: of }) => id === send.submissionId && of === person),
  );

/** Whether an open request's acknowledgment may be cancelled, because it may have been sent or is no longer useful. */
function isNeedless(world: World, delivery: StoredDelivery, { person, plannedAt = Infinity }: Accepted): boolean {
  if (!isAcknowledgment(delivery)) return false;
  const { lastError, isMaybeDuplicate } = delivery;
  if (lastError === 'too-late') {
    // If the clock was set back afterwards, the current time doesn't prove that the acknowledgment was too late.
    return world.wasClockSetBack || world.site.readTime() - plannedAt >= world.site.config.followUp.dueAfter;
  }
  if (lastError === 'restored') return world.restoredAt > 0;
  const others = world.stored.deliveries.filter((one) => isAcknowledgment(one) && one.id !== delivery.id);
  if (lastError === 'acknowledged-before') {
    return others.some(({ submissionId }) => world.accepted.find(({ id }) => id === submissionId)?.person === person);
  }

  return isMaybeDuplicate;
}

/** Tolerance for the time between recording a hand-over and receiving the mail, in milliseconds. */
const MOMENT = 1 * Minute;

/** A person gets at most one acknowledgment a day, and each request at most one, even after faults and restores. */
const aPersonGetsOneAcknowledgmentADay: Invariant = (world) => {
  const { history, accepted, restoredAt } = world;
  const all = history.sends.filter(isAcknowledgment);
  const repeated = all.filter(
    ({ deliveryId }, index) => all.findIndex((send) => send.deliveryId === deliveryId) < index,
  );
  const people = [...new Set(accepted.map(({ person }) => person))];
  const early = people.flatMap((person) => {
    const sends = getAcknowledgments(world, person).filter(({ handedOverAt, submissionId }) => {
      // The site has no data about acknowledgments for erased requests.
      const isForgotten = world.erasures.has(submissionId);

      return handedOverAt > restoredAt && !isForgotten;
    });

    return sends.filter(({ time }, index) => time - (sends[index - 1]?.time ?? -Infinity) < Day - MOMENT);
  });

  return [
    ...repeated.map(({ deliveryId }) => `acknowledgment ${deliveryId} was sent again`),
    ...early.map(({ deliveryId }) => `acknowledgment ${deliveryId} was sent within a day of another`),
  ];
};

/** Whether an outcome, or undoing it, explains why a mail is cancelled. */
function isPutOff({ stored }: World, { submissionId, stage, eventId }: StoredDelivery): boolean {
  const isMoved = eventId !== null && stage === 'due';
  const events = stored.events.filter((event) => event.submissionId === submissionId);
  const cause = events.findIndex(({ id }) => id === eventId);
  const isOvertaken = (at: number) =>
    events.slice(at + 1).some(({ what, isUndone, isPastPromise }) => {
      const canWait = stage === 'reminder' || stage === 'overdue' || isMoved || (stage === 'due' && isPastPromise);
      const isHandedOn = eventId !== null && stage === 'new' && what === 'assign';

      return !isUndone && (isHandedOn || (what === 'snooze' && canWait));
    });

  return events[cause]?.isUndone === true || isOvertaken(cause);
}

const cancellationsHaveAReason: Invariant = (world) => {
  const { accepted, stored } = world;

  return stored.deliveries
    .filter(({ state }) => state === 'cancelled')
    .filter((delivery) => {
      const request = accepted.find(({ id }) => id === delivery.submissionId);
      if (!request || isErased(world, request)) return false;
      const isAboutErased = stored.submissions.some(({ id, isErased: isGone }) => isGone && id === delivery.newRequestId);
      const isStopped =
        isSettled(request) || isAboutErased || isPutOff(world, delivery) || isNeedless(world, delivery, request);

      return delivery.kind === 'crm-export' || !isStopped;
    })
    .map((delivery) => `${describe(delivery)} without a reason`);
};

/** The mails, exports and announcements that receivers accepted for some deliveries. */
const getSends = ({ history }: World, deliveries: readonly StoredDelivery[]): Send[] =>
  history.sends.filter(({ deliveryId }) => deliveries.some(({ id }) => id === deliveryId));

const sentDeliveriesWereAccepted: Invariant = (world) =>
  world.stored.deliveries
    .filter(({ state }) => state === 'sent')
    .filter((delivery) => getSends(world, [delivery]).length === 0)
    .map((delivery) => `${describe(delivery)} was accepted by no receiver`);

const everyRecipientGetsTheMail: Invariant = (world) => {
  const { stored, site } = world;
  const shared = stored.deliveries.filter(
    ({ kind, state, recipient }) => kind === 'follow-up' && state === 'sent' && recipient === null,
  );

  return shared.flatMap((delivery) =>
    site.config.mail.sales
      .filter((recipient) => isFor(world, delivery, recipient))
      .filter((recipient) => !getSends(world, [delivery]).some(({ recipients }) => recipients.includes(recipient)))
      .filter((recipient) => !stored.deliveries.some((one) => isForRecipientOf(delivery, recipient)(one)))
      .map((recipient) => `${describe(delivery)}, which ${recipient} has neither received nor will receive`),
  );
};

const isForRecipientOf = (delivery: StoredDelivery, recipient: string) => (one: StoredDelivery) =>
  isSameMail(one, delivery) && one.recipient === recipient;

/**
 * Whether a delivery should be marked as a possible duplicate but isn't. A cancelled one needs no mark, and during a
 * restore's hold the mark isn't set yet.
 */
const isUnmarkedNow = ({ stored }: World, delivery: StoredDelivery | undefined): boolean =>
  !delivery?.isMaybeDuplicate && delivery?.state !== 'cancelled' && !stored.hold?.isOfRestore;

/** Returns errors if the deliveries were sent repeatedly without being marked, or more often than allowed. */
function findRepeats(world: World, what: string, deliveries: readonly StoredDelivery[], sends: readonly Send[]): string[] {
  const since = Math.max(...deliveries.map(({ id }) => world.countedSince.get(id) ?? 0));
  const last = deliveries.find(({ id }) => id === sends.at(-1)?.deliveryId);
  const isUnmarked = sends.length > 1 && isUnmarkedNow(world, last);
  const isTooOften = sends.filter(({ claimedAt }) => claimedAt > since).length > 2;

  return [
    ...(isUnmarked ? [`${what} ${sends.length} times, unmarked`] : []),
    ...(isTooOften ? [`${what} more than twice`] : []),
  ];
}

/**
 * A recipient gets a mail once, or twice if its delivery is marked as a possible duplicate. An operator's retry allows
 * two more. Restored deliveries are on hold until the release marks them.
 */
const mailsAreSentTwiceAtMost: Invariant = (world) => {
  const { stored, site } = world;
  const mails = stored.deliveries.filter(({ kind }) => kind === 'follow-up');
  // Deliveries to deferred recipients are counted with their shared delivery.
  const shared = mails.filter(({ recipient, eventId }) => recipient === null || eventId !== null);

  return shared.flatMap((delivery) =>
    site.config.mail.sales.flatMap((recipient) => {
      const deliveries = [delivery, ...stored.deliveries.filter(isForRecipientOf(delivery, recipient))];
      const sends = getSends(world, deliveries).filter(({ recipients }) => recipients.includes(recipient));

      return findRepeats(world, `${describe(delivery)} was sent to ${recipient}`, deliveries, sends);
    }),
  );
};

/** The same rule for announcements, which have no recipients. */
const announcementsAreSentTwiceAtMost: Invariant = (world) =>
  world.stored.deliveries
    .filter(({ kind }) => kind === 'chat')
    .flatMap((delivery) => findRepeats(world, `${describe(delivery)} was sent`, [delivery], getSends(world, [delivery])));

const settledRequestsCauseNoMail: Invariant = ({ settledTimes, history }) =>
  history.sends
    .filter(
      ({ kind, submissionId, handedOverAt: at }) =>
        kind !== 'crm-export' &&
        kind !== 'outcome' &&
        kind !== 'outcome-undone' &&
        settledTimes.some((time) => time.submissionId === submissionId && time.from < at && at < time.to),
    )
    .map(({ deliveryId }) => `mail ${deliveryId} was handed over after the request was settled`);

/** The stored outcomes are exactly those that sales recorded and didn't undo. */
const recordedOutcomesAreStored: Invariant = (world) =>
  world.accepted
    .filter((request) => !isErased(world, request))
    .filter(({ id, done }) => {
      const current = world.stored.events.filter(
        ({ submissionId, isUndone, what }) => submissionId === id && !isUndone && what !== 'rotate',
      );

      return current.map(({ what }) => what).join() !== done.map(({ what }) => what).join();
    })
    .map(({ id }) => `the stored outcomes of request ${id} are wrong`);

const erasedRequestsCauseNoDelivery: Invariant = ({ erasures, history }) =>
  history.sends
    .filter(({ kind, submissionId, handedOverAt, composedAt }) => {
      const lastStop = kind === 'crm-export' ? composedAt : handedOverAt;

      return lastStop > (erasures.get(submissionId) ?? Infinity);
    })
    .map(({ deliveryId, kind }) => `${kind} ${deliveryId} of an erased request was sent`);

const nothingIsClaimedDuringAHold: Invariant = ({ holds, history }) =>
  history.claims
    .filter(({ at }) => holds.some(({ from, to }) => from < at && at < to))
    .map(({ deliveryId }) => `${deliveryId} was claimed during a hold`);

const nothingIsClaimedDuringAPause: Invariant = ({ before, history }) =>
  history.claims
    .filter(
      ({ at, kind }) =>
        at > before.event &&
        before.stored.pauses.some((pause) => pause.kind === kind && pause.leftMs > TOLERANCE),
    )
    .map(({ deliveryId }) => `${deliveryId} was claimed during a pause`);

/** The time that sales chose for a mail: PostgreSQL's time including the model's clock steps, in milliseconds. */
function getChosenTime({ stored, site }: World, delivery: StoredDelivery): number {
  const until = stored.events.find(({ id }) => id === delivery.eventId)?.until;

  return until === null || until === undefined ? -Infinity : until + site.readTime() - Date.now();
}

/** How long the plan delays a claimed delivery, in milliseconds. */
function getWait(world: World, { deliveryId }: Claim): number {
  const delivery = world.stored.deliveries.find(({ id }) => id === deliveryId);
  // Overdue mails are planned after the due notice.
  const stageOf = delivery?.stage === 'overdue' ? 'due' : delivery?.stage;
  const planned = getPlan(world).find(({ kind, stage }) => kind === delivery?.kind && stage === stageOf);

  return planned?.dueAfter ?? 0;
}

const nothingIsClaimedEarly: Invariant = (world) => {
  const { history, stored, accepted } = world;

  return history.claims
    .filter((claim) => {
      const delivery = stored.deliveries.find(({ id }) => id === claim.deliveryId);
      const plannedAt = accepted.find(({ id }) => id === delivery?.submissionId)?.plannedAt ?? -Infinity;
      if (delivery?.kind === 'follow-up' && delivery.eventId !== null) return claim.time + TOLERANCE < getChosenTime(world, delivery);

      const wait = getWait(world, claim);

      // A delivery without a delay is never early. If the clock was set back, the sweep ends the delay (decision 002).
      return wait > 0 && claim.time - plannedAt < wait;
    })
    .map(({ deliveryId }) => `${deliveryId} was claimed early`);
};

/** After the CRM accepted an export, the next attempt is numbered 2 or higher, so it looks up the earlier record. */
const exportsCountEarlierAttempts: Invariant = ({ history }) =>
  history.claims
    .filter(
      ({ kind, attempt, deliveryId, at }) =>
        kind === 'crm-export' &&
        attempt === 1 &&
        history.sends.some((send) => send.deliveryId === deliveryId && send.takenAt < at),
    )
    .map(({ deliveryId }) => `export ${deliveryId} doesn't count its earlier attempt`);

const erasedRequestsStayErased: Invariant = (world) =>
  world.stored.hold?.isOfRestore
    ? []
    : world.stored.submissions
        .filter(({ id, isErased: isGone }) => world.erasures.has(id) && !isGone)
        .map(({ id }) => `the data of erased request ${id} is stored again`);

const onlyRequestedErasuresHappen: Invariant = (world) =>
  world.stored.submissions
    .filter((one) => one.isErased)
    .filter(({ id }) => world.accepted.some((request) => request.id === id && !isErased(world, request)))
    .map(({ id }) => `request ${id} was erased without a reason`);

const invariants: readonly Invariant[] = [
  noAcceptedRequestIsLost,
  cancellationsHaveAReason,
  sentDeliveriesWereAccepted,
  everyRecipientGetsTheMail,
  mailsAreSentTwiceAtMost,
  aPersonGetsOneAcknowledgmentADay,
  announcementsAreSentTwiceAtMost,
  settledRequestsCauseNoMail,
  recordedOutcomesAreStored,
  erasedRequestsCauseNoDelivery,
  nothingIsClaimedDuringAHold,
  nothingIsClaimedDuringAPause,
  nothingIsClaimedEarly,
  exportsCountEarlierAttempts,
  erasedRequestsStayErased,
  onlyRequestedErasuresHappen,
  ...salesInvariants,
];

/** The current violations of all rules. */
export const findViolations = (world: World): readonly string[] =>
  invariants.flatMap((invariant) => invariant(world));
