import { describe, expect, test } from 'vitest';
import { readLinkTime, signLinkToken } from '../../../shared/node/mail/signed-action-link.ts';
import { waitFor } from '../../support/wait-for.ts';
import { COOKIE_SECRET, makeSubscription, setUpWeb, web, yesterday } from './newsletter-web.ts';

setUpWeb();

/** Returns when the token at the end of a URL was created, in seconds since 1970. */
const readCreationTime = (url: string) => readLinkTime(url.split('/').at(-1) ?? '').getTime() / 1_000;

describe('a link in a mail', () => {
  const tasks = {
    confirm: { purpose: 'newsletter-confirm', button: 'Confirm', done: 'You are subscribed' },
    unsubscribe: { purpose: 'newsletter-unsubscribe', button: 'Unsubscribe', done: 'You are unsubscribed' },
  } as const;
  const makeUrl = (task: keyof typeof tasks, id: string) =>
    `${web.origin}/newsletter/${task}/${signLinkToken(tasks[task].purpose, id, [COOKIE_SECRET])}`;

  test.each(['confirm', 'unsubscribe'] as const)(
    'to %s opens a page that has a button but no email address, and changes nothing until the button is pressed',
    async (task) => {
      const { email, id, read } = await makeSubscription();
      const before = await read();

      const response = await fetch(makeUrl(task, id));
      const html = await response.text();

      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(response.headers.get('x-robots-tag')).toBe('noindex');
      expect(html).toContain('<meta name="robots" content="noindex"');
      expect(html).toMatch(new RegExp(`<button[^>]*>${tasks[task].button}</button>`));
      expect(html).not.toContain(email);
      expect(await read()).toEqual(before);
    },
  );

  test('confirms once, however often it is used, and ends an earlier unsubscription', async () => {
    const { id, read } = await makeSubscription({ unsubscribed_at: yesterday });
    const url = makeUrl('confirm', id);

    const first = await fetch(url, { method: 'POST' });
    const confirmed = await read();
    const second = await fetch(url, { method: 'POST' });

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toContain(tasks.confirm.done);
    expect(confirmed).toMatchObject({ confirmed_at: expect.any(Date), unsubscribed_at: null });
    expect(await read()).toEqual(confirmed);
    expect(await (await fetch(url)).text()).toContain(tasks.confirm.done);
  });

  test('to confirm is invalid once the subscriber has unsubscribed', async () => {
    const { id, read } = await makeSubscription({ confirmed_at: yesterday });
    const confirmUrl = makeUrl('confirm', id);
    // A token stores its creation time in whole seconds.
    await waitFor('the next second', () => Date.now() / 1_000 >= Math.floor(readCreationTime(confirmUrl)) + 1);
    await fetch(makeUrl('unsubscribe', id), { method: 'POST' });
    const unsubscribed = await read();

    expect((await fetch(confirmUrl)).status).toBe(404);
    expect((await fetch(confirmUrl, { method: 'POST' })).status).toBe(404);
    expect(await read()).toEqual(unsubscribed);
  });

  test('unsubscribes once, however often it is used, and also accepts a mail program’s one-click request', async () => {
    const { id, read } = await makeSubscription({ confirmed_at: yesterday });
    const url = makeUrl('unsubscribe', id);

    const first = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      redirect: 'error',
    });
    const unsubscribed = await read();
    const second = await fetch(url, { method: 'POST' });

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await first.text()).toContain(tasks.unsubscribe.done);
    expect(unsubscribed).toMatchObject({ confirmed_at: expect.any(Date), unsubscribed_at: expect.any(Date) });
    expect(await read()).toEqual(unsubscribed);
  });
});
