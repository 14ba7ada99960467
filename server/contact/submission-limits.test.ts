import { describe, expect, test } from 'vitest';
import { Minute } from '../../shared/time.ts';
import { createSubmissionLimits } from './submission-limits.ts';

/** Limit per client. Requests above the same number per network, or above 20 in total, are held. */
const limit = { count: 2, windowMs: 10 * Minute };

const createLimits = () => createSubmissionLimits(undefined, limit);
type Limits = ReturnType<typeof createLimits>;

const refusal = { code: 'rate-limited' };

const clientOf = (network: number, host = 1) => `198.18.${network}.${host}`;

/** Counts one request from each of `count` networks, all within the limits. */
async function consumeOfNetworks(limits: Limits, count: number) {
  for (let network = 0; network < count; network += 1) {
    expect(await limits.consume(clientOf(network))).toMatchObject({ signals: [] });
  }
}

describe('the request limits', () => {
  test('refuse a client over its limit, and hold requests from a network over its limit', async () => {
    const limits = createLimits();
    const requests = [1, 2, 3, 4].map((host) => limits.consume(clientOf(0, host)));
    const results = await Promise.all(requests);

    expect(results.map(({ signals }) => signals)).toEqual([[], [], ['network-rate'], ['network-rate']]);
    await limits.consume(clientOf(0));
    await expect(limits.consume(clientOf(0))).rejects.toMatchObject(refusal);
    expect(await limits.consume(clientOf(1))).toMatchObject({ signals: [] });
  });

  test('are ten times as high for all networks combined', async () => {
    const limits = createLimits();
    await consumeOfNetworks(limits, 20);

    expect(await limits.consume(clientOf(20))).toMatchObject({ signals: ['total-rate'] });
  });

  test('for all networks are not used up by one network that exceeds its own limit', async () => {
    const limits = createLimits();
    for (let request = 0; request < 30; request += 1) await limits.consume(clientOf(50)).catch(() => undefined);
    for (let host = 1; host <= 30; host += 1) await limits.consume(clientOf(51, host));

    // Two requests from each network are counted.
    await consumeOfNetworks(limits, 16);
    expect(await limits.consume(clientOf(16))).toMatchObject({ signals: ['total-rate'] });
  });

  test('allow acknowledgments for a network’s first three requests in an hour', async () => {
    const limits = createLimits();
    const consume = async (client: string) => (await limits.consume(client)).mayAcknowledge;

    expect(await consume(clientOf(0, 1))).toBe(true);
    expect(await consume(clientOf(0, 2))).toBe(true);
    expect(await consume(clientOf(0, 3))).toBe(true);
    expect(await consume(clientOf(0, 4))).toBe(false);
    expect(await consume(clientOf(1))).toBe(true);
  });

  test('fully refund a request that had no effect', async () => {
    const limits = createLimits();
    await consumeOfNetworks(limits, 19);

    for (let request = 0; request < 10; request += 1) {
      const { signals, mayAcknowledge, refund } = await limits.consume(clientOf(19));
      expect({ signals, mayAcknowledge }).toEqual({ signals: [], mayAcknowledge: true });
      await refund();
    }
  });

  test('refund a refused request', async () => {
    const limits = createLimits();
    const { refund } = await limits.consume(clientOf(0));
    await limits.consume(clientOf(0));
    for (let request = 0; request < 3; request += 1) {
      await expect(limits.consume(clientOf(0))).rejects.toMatchObject(refusal);
    }
    await refund();

    expect(await limits.consume(clientOf(0))).toMatchObject({ signals: [] });
  });

  test('refund only the limits that counted the request', async () => {
    const limits = createLimits();
    await consumeOfNetworks(limits, 18);
    for (let host = 1; host <= 3; host += 1) await limits.consume(clientOf(18, host));
    const { signals, mayAcknowledge, refund } = await limits.consume(clientOf(18, 4));
    expect({ signals, mayAcknowledge }).toEqual({ signals: ['network-rate'], mayAcknowledge: false });
    await refund();

    expect(await limits.consume(clientOf(19))).toMatchObject({ signals: ['total-rate'] });
    expect(await limits.consume(clientOf(18, 5))).toMatchObject({ mayAcknowledge: false });
  });
});

describe('concurrent requests from a client', () => {
  /** Starts requests that finish when their function in `ends` is called. */
  function begin(limits: Limits, count: number, client = clientOf(0)) {
    const ends: Array<() => void> = [];
    const runs = Array.from({ length: count }, () =>
      limits.runLimited(client, () => new Promise<void>((resolve) => ends.push(resolve))),
    );

    return { ends, runs };
  }

  test.each([
    [2, 8],
    [10, 8],
    [20, 16],
  ])('with a limit of %i run at most %i at a time, and are refused once twice the limit is waiting', async (count, most) => {
    const limits = createSubmissionLimits(undefined, { ...limit, count });
    const { ends, runs } = begin(limits, most + 2 * count);
    expect(ends).toHaveLength(most);

    await expect(limits.runLimited(clientOf(0), async () => 'done')).rejects.toMatchObject({
      code: 'rate-limited',
      detail: expect.stringContaining('try again in a few seconds'),
      retryAfterSeconds: 2,
    });
    expect(await limits.runLimited(clientOf(1), async () => 'done')).toBe('done');
    ends[0]?.();
    await runs[0];
    expect(ends).toHaveLength(most + 1);
    for (let index = 1; index < runs.length; index += 1) {
      ends[index]?.();
      await runs[index];
      expect(ends.length - index).toBeLessThanOrEqual(most + 1);
    }
    expect(begin(limits, most + 1).ends).toHaveLength(most);
  });

  test('make room for the one that has waited longest, whether they succeed or fail', async () => {
    const limits = createLimits();
    const { ends, runs } = begin(limits, 7);
    const fail = () => limits.runLimited(clientOf(0), () => Promise.reject(new TypeError('failed')));

    for (let time = 0; time < 3; time += 1) await expect(fail()).rejects.toThrow('failed');
    const last = begin(limits, 1);
    const order: string[] = [];
    const waiting = ['first', 'second', 'third', 'fourth'].map((name) =>
      limits.runLimited(clientOf(0), async () => {
        order.push(name);
        if (name === 'first') throw new TypeError('failed');
      }),
    );
    await expect(fail()).rejects.toMatchObject({ code: 'rate-limited' });
    expect(order).toEqual([]);
    ends[0]?.();
    const results = await Promise.allSettled(waiting);
    expect(order).toEqual(['first', 'second', 'third', 'fourth']);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);

    for (const end of [...ends, ...last.ends]) end();
    await Promise.all([...runs, ...last.runs]);
    expect(begin(limits, 8).ends).toHaveLength(8);
  });
});

test('calls with the same key run one at a time, and calls with another key don’t wait', async () => {
  const { runInTurn } = createLimits();
  const started: string[] = [];
  const ends: Array<() => void> = [];
  const begin = (key: string) => {
    started.push(key);

    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const runs = ['one', 'one', 'two'].map((key) => runInTurn(key, () => begin(key)));

  expect(started).toEqual(['one', 'two']);
  ends[0]?.();
  await runs[0];
  expect(started).toEqual(['one', 'two', 'one']);
  for (const end of ends) end();
  await Promise.all(runs);
});
