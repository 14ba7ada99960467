import { expect, test } from 'vitest';
import { createRefusedFormCounter } from '../contact/contact-form-routes.ts';
import { createFailedPostCounter } from './form-posts.ts';

const refusal = { code: 'rate-limited' };

test.each([
  ['a form of a page', createFailedPostCounter, 60, 3],
  ['the contact form', createRefusedFormCounter, 12, 2],
])('a client gets %s so often after failed posts, its network a multiple of that, and another network its own', async (_form, createCounter, count, clients) => {
  const countPost = createCounter(undefined);
  for (let client = 1; client <= clients; client += 1) {
    for (let posts = 0; posts < count; posts += 1) await countPost(`198.51.100.${client}`);
    await expect(countPost(`198.51.100.${client}`)).rejects.toMatchObject(refusal);
  }

  await expect(countPost('198.51.100.99')).rejects.toMatchObject(refusal);
  await expect(countPost('203.0.113.1')).resolves.toBeInstanceOf(Function);
});
