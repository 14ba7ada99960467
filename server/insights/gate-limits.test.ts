import { expect, test } from 'vitest';
import { createGateLimits } from './gate-limits.ts';

const client = '198.51.100.1';

test('attempts that weren’t checked count for nobody: neither the client, nor its network, nor all together', async () => {
  const { consume } = createGateLimits(undefined);
  for (let attempt = 1; attempt <= 40; attempt += 1) await (await consume(client)).refund();

  expect(await consume(client)).toMatchObject({ delayMs: 0 });
});

test('the sixth attempt of a client is refused in the gate’s own words', async () => {
  const { consume } = createGateLimits(undefined);
  for (let attempt = 1; attempt <= 5; attempt += 1) await consume(client);

  await expect(consume(client)).rejects.toMatchObject({
    code: 'rate-limited',
    detail: expect.stringMatching(/^Too many tries\. Please try again in \d+ seconds\.$/) as string,
  });
});
