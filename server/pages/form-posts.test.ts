import { expect, test } from 'vitest';
import { createFailedPostCounter } from './form-posts.ts';

const refusal = { code: 'rate-limited' };

test('a network gets three times as many pages for failed posts as a client, and another network its own', async () => {
  const count = createFailedPostCounter(undefined);
  for (const client of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
    for (let posts = 0; posts < 60; posts += 1) await count(client);
    await expect(count(client)).rejects.toMatchObject(refusal);
  }

  await expect(count('198.51.100.4')).rejects.toMatchObject(refusal);
  await expect(count('203.0.113.1')).resolves.toBeInstanceOf(Function);
});
