import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { Hour } from '../../shared/time.ts';
import { createClaimLimiter, type Claim } from './run-due.ts';

const delivery: ClaimedDelivery = {
  id: 'a',
  submissionId: null,
  subscriptionId: null,
  subject: null,
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
};
const { signal } = new AbortController();

/** Creates a claim that records when it is called and returns a fixed result. */
function makeClaim(result: ClaimedDelivery | undefined) {
  const times: number[] = [];
  const claim: Claim = () => {
    times.push(performance.now());

    return Promise.resolve(result);
  };

  return { claim, times };
}

test('successful claims wait for the limit’s interval, and empty claims don’t count', async () => {
  const limiter = createClaimLimiter({ max: 1, duration: 200 });
  const [empty, successful] = [makeClaim(undefined), makeClaim(delivery)];
  for (let turn = 0; turn < 3; turn += 1) expect(await limiter(empty.claim, signal)).toBeUndefined();
  for (let turn = 0; turn < 2; turn += 1) await limiter(successful.claim, signal);

  const [first = 0, second = 0] = successful.times;
  expect(first - (empty.times[0] ?? 0)).toBeLessThan(150);
  expect(second - first).toBeGreaterThan(190);
});

test('an aborted wait claims nothing', async () => {
  const limiter = createClaimLimiter({ max: 1, duration: Hour });
  const { claim, times } = makeClaim(delivery);
  await limiter(claim, signal);
  const stop = new AbortController();
  const waiting = limiter(claim, stop.signal);
  stop.abort();

  expect(await waiting).toBeUndefined();
  expect(times).toHaveLength(1);
});
