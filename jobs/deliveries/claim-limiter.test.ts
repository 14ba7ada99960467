import { expect, test } from 'vitest';
import { deliveryKinds } from '../../shared/deliveries/delivery.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { Hour } from '../../shared/time.ts';
import { createClaimLimiters, type Claim } from './claim-limiter.ts';

const mails = { max: 1, duration: 200 } as const;
const none = { 'follow-up': undefined, newsletter: undefined, acknowledgment: undefined, 'crm-export': undefined, chat: undefined, outcome: undefined };
const limits = { ...none, 'follow-up': mails, newsletter: mails, acknowledgment: mails };
const delivery: ClaimedDelivery = {
  id: 'a',
  submissionId: null,
  subscriptionId: null,
  kind: 'follow-up',
  stage: null,
  attempts: 1,
  leaseToken: 'a',
  leaseEndsAt: 60_000,
  overdueMs: 0,
  remoteSteps: {},
  lostResponses: 0,
  recipient: null,
  eventId: null,
  lastError: null,
};
const { signal } = new AbortController();

/** A claim that leases something or not, and when it was made. */
function makeClaim(result: ClaimedDelivery | undefined) {
  const times: number[] = [];
  const claim: Claim = () => {
    times.push(performance.now());

    return Promise.resolve(result);
  };

  return { claim, times };
}

test('the claims of one kind share its rate limit, and another kind doesn’t wait for it', async () => {
  const limiters = createClaimLimiters(limits);
  const mail = makeClaim(delivery);
  const other = makeClaim(delivery);
  await Promise.all([
    limiters['follow-up'](mail.claim, signal),
    limiters['follow-up'](mail.claim, signal),
    limiters.newsletter(other.claim, signal),
  ]);

  const [first = 0, second = 0] = mail.times;
  expect(second - first).toBeGreaterThan(190);
  expect((other.times[0] ?? 0) - first).toBeLessThan(150);
});

test('a claim that leases nothing costs nothing of the limit', async () => {
  const limiters = createClaimLimiters(limits);
  const { claim, times } = makeClaim(undefined);
  for (let turn = 0; turn < 3; turn += 1) expect(await limiters['follow-up'](claim, signal)).toBeUndefined();

  expect((times[2] ?? 0) - (times[0] ?? 0)).toBeLessThan(150);
});

test.each(deliveryKinds)('the limit of %s is that of its own claims alone', async (kind) => {
  const limiters = createClaimLimiters({ ...none, [kind]: { max: 1, duration: Hour } });
  for (const claimed of deliveryKinds) await limiters[claimed](makeClaim(delivery).claim, signal);
  const stop = new AbortController();
  const seconds = deliveryKinds.map((claimed) => limiters[claimed](makeClaim(delivery).claim, stop.signal));
  await Promise.all(seconds.filter((_claim, index) => deliveryKinds[index] !== kind));
  stop.abort();

  expect(await Promise.all(seconds)).toEqual(deliveryKinds.map((claimed) => (claimed === kind ? undefined : delivery)));
});

test('a wait ends with its signal, and claims nothing', async () => {
  const limiters = createClaimLimiters({ ...limits, 'follow-up': { max: 1, duration: Hour } });
  const { claim, times } = makeClaim(delivery);
  await limiters['follow-up'](claim, signal);
  const stop = new AbortController();
  const waiting = limiters['follow-up'](claim, stop.signal);
  stop.abort();

  expect(await waiting).toBeUndefined();
  expect(times).toHaveLength(1);
});
