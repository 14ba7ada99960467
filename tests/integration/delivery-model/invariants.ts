import { planDeliveries } from '../../../shared/deliveries/delivery.ts';
import type { Claim, Send } from './history.ts';
import type { StoredDelivery } from './site.ts';
import type { Accepted, World } from './world.ts';

/** A rule that holds after every command; it lists what breaks it. */
type Invariant = (world: World) => readonly string[];

const describe = ({ kind, stage, recipient, state }: StoredDelivery) =>
  [kind, stage, recipient, state].filter((part) => part !== null).join(' ');

const getPlan = ({ site }: World) => planDeliveries(site.config.followUp);

/** Whether it is erased, or is to be: what an address sent before its erasure goes with it. */
const isErased = ({ erasures, erasedPeople }: World, { id, person, acceptedAt }: Accepted) =>
  erasures.has(id) || acceptedAt <= (erasedPeople.get(person) ?? -Infinity);

const isPlanned = ({ plannedAt }: Accepted) => plannedAt !== undefined;

const nothingAcceptedIsLost: Invariant = (world) => {
  const { accepted, stored } = world;
  const ids = new Set(stored.submissions.map(({ id }) => id));
  const lost = accepted.filter(({ id }) => !ids.has(id)).map(({ id }) => `request ${id} is lost`);
  const missing = accepted.filter(isPlanned).flatMap(({ id }) =>
    getPlan(world)
      .filter(
        ({ kind, stage }) =>
          !stored.deliveries.some(
            (one) =>
              one.submissionId === id && one.kind === kind && one.stage === stage && one.recipient === null,
          ),
      )
      .map(({ kind, stage }) => `request ${id} has no ${kind} ${stage ?? ''}`),
  );

  return [...lost, ...missing];
};

const cancelledForAReason: Invariant = (world) => {
  const { accepted, stored } = world;

  return stored.deliveries
    .filter(({ state }) => state === 'cancelled')
    .filter(({ submissionId, kind }) => {
      const request = accepted.find(({ id }) => id === submissionId);
      const isAnswered = kind === 'follow-up' && request?.contactedAt !== undefined;

      return request && !isAnswered && !isErased(world, request);
    })
    .map((delivery) => `${describe(delivery)} without a reason`);
};

/** The mails and exports of one delivery and of those for single recipients that it left behind. */
const getSends = ({ history }: World, deliveries: readonly StoredDelivery[]): Send[] =>
  history.sends.filter(({ deliveryId }) => deliveries.some(({ id }) => id === deliveryId));

const sentOnlyWhatWasTaken: Invariant = (world) =>
  world.stored.deliveries
    .filter(({ state }) => state === 'sent')
    .filter((delivery) => getSends(world, [delivery]).length === 0)
    .map((delivery) => `${describe(delivery)}, which nobody took`);

const everyRecipientIsServed: Invariant = (world) => {
  const { stored, site } = world;
  const shared = stored.deliveries.filter(
    ({ kind, state, recipient }) => kind === 'follow-up' && state === 'sent' && recipient === null,
  );

  return shared.flatMap((delivery) =>
    site.config.mail.sales
      .filter((recipient) => !getSends(world, [delivery]).some(({ recipients }) => recipients.includes(recipient)))
      .filter((recipient) => !stored.deliveries.some((one) => isForRecipientOf(delivery, recipient)(one)))
      .map((recipient) => `${describe(delivery)}, which ${recipient} neither has nor gets`),
  );
};

const isForRecipientOf = (delivery: StoredDelivery, recipient: string) => (one: StoredDelivery) =>
  one.submissionId === delivery.submissionId && one.stage === delivery.stage && one.recipient === recipient;

/**
 * A recipient gets a mail once; or twice if its delivery says that it may have come before. What an operator
 * retries may come twice again, and what a restore brings back is on hold until the release marks it.
 */
const mailsComeTwiceAtMost: Invariant = (world) => {
  const { stored, site, countedSince } = world;
  const shared = stored.deliveries.filter(({ kind, recipient }) => kind === 'follow-up' && recipient === null);

  return shared.flatMap((delivery) =>
    site.config.mail.sales.flatMap((recipient) => {
      const own = stored.deliveries.filter(isForRecipientOf(delivery, recipient));
      const deliveries = [delivery, ...own];
      const sends = getSends(world, deliveries).filter(({ recipients }) => recipients.includes(recipient));
      const since = Math.max(...deliveries.map(({ id }) => countedSince.get(id) ?? 0));
      const last = deliveries.find(({ id }) => id === sends.at(-1)?.deliveryId);
      const isUnmarked = sends.length > 1 && !last?.isMaybeDuplicate && !stored.hold?.isOfRestore;

      return [
        ...(isUnmarked ? [`${describe(delivery)} came to ${recipient} ${sends.length} times, unmarked`] : []),
        ...(sends.filter(({ claimedAt }) => claimedAt > since).length > 2
          ? [`${describe(delivery)} came to ${recipient} more than twice`]
          : []),
      ];
    }),
  );
};

const nothingFollowsAnAnswer: Invariant = ({ accepted, history }) =>
  history.sends
    .filter(({ kind, submissionId, handedOverAt }) => {
      const contactedAt = accepted.find(({ id }) => id === submissionId)?.contactedAt ?? Infinity;

      return kind === 'follow-up' && handedOverAt > contactedAt;
    })
    .map(({ deliveryId }) => `mail ${deliveryId} was handed over after 'contacted'`);

const nothingFollowsAnErasure: Invariant = ({ erasures, history }) =>
  history.sends
    .filter(({ kind, submissionId, handedOverAt, composedAt }) => {
      const lastStop = kind === 'follow-up' ? handedOverAt : composedAt;

      return lastStop > (erasures.get(submissionId) ?? Infinity);
    })
    .map(({ deliveryId, kind }) => `${kind} ${deliveryId} of an erased request was sent`);

const nothingIsClaimedOnHold: Invariant = ({ holds, history }) =>
  history.claims
    .filter(({ at }) => holds.some(({ from, to }) => from < at && at < to))
    .map(({ deliveryId }) => `${deliveryId} was claimed on hold`);

/** A pause that ends within so many milliseconds may have ended before a claim. */
const SOON = 100;

const nothingIsClaimedInAPause: Invariant = ({ before, history }) =>
  history.claims
    .filter(
      ({ at, kind }) =>
        at > before.event &&
        before.stored.pauses.some((pause) => pause.kind === kind && pause.leftMs > SOON),
    )
    .map(({ deliveryId }) => `${deliveryId} was claimed in a pause`);

/** The wait that the plan has for a claimed delivery, in milliseconds. */
function getWait(world: World, { deliveryId }: Claim): number {
  const delivery = world.stored.deliveries.find(({ id }) => id === deliveryId);
  const planned = getPlan(world).find(
    ({ kind, stage }) => kind === delivery?.kind && stage === delivery.stage,
  );

  return planned?.dueAfter ?? 0;
}

const nothingIsEarly: Invariant = (world) => {
  const { history, stored, accepted } = world;

  return history.claims
    .filter((claim) => {
      const delivery = stored.deliveries.find(({ id }) => id === claim.deliveryId);
      const plannedAt = accepted.find(({ id }) => id === delivery?.submissionId)?.plannedAt ?? -Infinity;

      return claim.time - plannedAt < getWait(world, claim);
    })
    .map(({ deliveryId }) => `${deliveryId} was claimed early`);
};

/** From the second attempt on an export looks for what an earlier one has made. */
const exportsKnowEarlierAttempts: Invariant = ({ history }) =>
  history.claims
    .filter(
      ({ kind, attempt, deliveryId, at }) =>
        kind === 'crm-export' &&
        attempt === 1 &&
        history.sends.some((send) => send.deliveryId === deliveryId && send.takenAt < at),
    )
    .map(({ deliveryId }) => `export ${deliveryId} was made before and doesn't know`);

const restoredPeopleStayErased: Invariant = (world) =>
  world.stored.hold?.isOfRestore
    ? []
    : world.stored.submissions
        .filter(({ id, isErased: isGone }) => world.erasures.has(id) && !isGone)
        .map(({ id }) => `erased request ${id} is back`);

const onlyWhoAskedIsErased: Invariant = (world) =>
  world.stored.submissions
    .filter((one) => one.isErased)
    .filter(({ id }) => world.accepted.some((request) => request.id === id && !isErased(world, request)))
    .map(({ id }) => `request ${id} is erased and nobody asked`);

const invariants: readonly Invariant[] = [
  nothingAcceptedIsLost,
  cancelledForAReason,
  sentOnlyWhatWasTaken,
  everyRecipientIsServed,
  mailsComeTwiceAtMost,
  nothingFollowsAnAnswer,
  nothingFollowsAnErasure,
  nothingIsClaimedOnHold,
  nothingIsClaimedInAPause,
  nothingIsEarly,
  exportsKnowEarlierAttempts,
  restoredPeopleStayErased,
  onlyWhoAskedIsErased,
];

/** What breaks the rules now; none when all hold. */
export const findViolations = (world: World): readonly string[] =>
  invariants.flatMap((invariant) => invariant(world));
