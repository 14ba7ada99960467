import { expect, test } from 'vitest';
import { Minute } from '../../shared/time.ts';
import { createClientLimits } from './client-limits.ts';

const createLimits = () =>
  createClientLimits(
    undefined,
    { name: 'test-client', count: 2, windowMs: 10 * Minute },
    { name: 'test-network', count: 3, windowMs: 10 * Minute },
  );

const refusal = { code: 'rate-limited' };
const [client, neighbor, other] = ['198.51.100.1', '198.51.100.2', '203.0.113.1'];

test('a request refused to a client consumes nothing of its network’s limit, beyond which its neighbors are refused', async () => {
  const { consume } = createLimits();
  for (let request = 1; request <= 2; request += 1) await consume(client);
  await expect(consume(client)).rejects.toMatchObject(refusal);

  await consume(neighbor);

  await expect(consume(neighbor)).rejects.toMatchObject(refusal);
  await expect(consume(other)).resolves.toBeInstanceOf(Function);
});

test('a request without effect is taken back from its client and its network', async () => {
  const { consume } = createLimits();
  for (let request = 1; request <= 4; request += 1) await (await consume(client))();

  for (let request = 1; request <= 2; request += 1) await consume(client);
  await consume(neighbor);
  await expect(consume(neighbor)).rejects.toMatchObject(refusal);
});
