import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { Day, Hour } from '../../shared/time.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { storeSubmission } from '../support/ops-fixture.ts';
import { waitFor } from '../support/wait-for.ts';

const COOKIE_SECRET = 's'.repeat(32);

const makePost = (action: string) => ({ method: 'POST', body: new URLSearchParams({ action }) });

describe('a held request’s page', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await buildTestApp({ COOKIE_SECRET });

    return app.close;
  });

  const press = (path: string, action: string) => app.fetch(path, makePost(action));

  async function holdRequest(changes = {}) {
    const { database } = app;
    const id = await storeSubmission(database, {
      quarantined_at: database.fn.now(),
      quarantine_reason: 'links,too-fast',
      ...changes,
    });
    const read = async () => ({
      row: await database('contact_submissions').where({ id }).first(),
      deliveries: await database('deliveries').where({ submission_id: id }).orderBy(['kind', 'due_at']),
    });

    return { path: pathTo.heldRequest(signLinkToken('held', id, [COOKIE_SECRET])), read };
  }

  test('shows every field and why the request is held, forbids caching and indexing, and changes nothing when opened', async () => {
    const { path, read } = await holdRequest({ name: 'Ada www.x.example' });
    const before = await read();

    await app.fetch(path);
    const response = await app.fetch(path);

    const html = await response.text();
    for (const text of [
      'Example Sweets', 'Ada www.x.example', 'ada@example.org', '+1 555 0100', 'Manufacturing',
      'We spend Mondays retyping invoices.', 'letter', 'sent within two seconds', 'link in the name',
      'This is a request', 'This is spam',
    ]) {
      expect(html).toContain(text);
    }
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
    expect(response.headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin');
    expect(await read()).toEqual(before);
  });

  test('lists the other undecided requests from the same mail in order of arrival, each with a button', async () => {
    const held_mail_id = randomUUID();
    const hold = (company: string, hoursAgo: number, changes = {}) =>
      holdRequest({ company, held_mail_id, quarantined_at: new Date(Date.now() - hoursAgo * Hour), ...changes });
    const [second, first, shown] = [await hold('Second', 2), await hold('First', 3), await hold('Shown', 1)];
    await hold('Spam', 4, { spam_at: new Date() });
    await hold('Elsewhere', 4, { held_mail_id: null });
    const read = async (response: Promise<Response>) => {
      const html = await (await response).text();
      const forms = [...html.matchAll(/action="(\/follow-up\/held\/[^"]+)".*?<button[^>]*value="release"[^>]*>(.*?)<\/button>/gs)];

      return { html, forms: forms.map(([, path = '', label = '']) => ({ path, label: label.replaceAll(/<[^>]*>/g, '') })) };
    };
    const { html, forms } = await read(app.fetch(shown.path));
    expect(forms.map(({ label }) => label)).toEqual(['This is a request', 'Release First', 'Release Second']);
    expect(html).toMatch(/>First<.*>Second</s);
    expect(html).not.toMatch(/Spam<|Elsewhere/);

    const next = await read(press(forms[1]?.path ?? '', 'release'));
    expect((await first.read()).row?.released_at).not.toBeNull();
    expect((await second.read()).row?.released_at).toBeNull();
    expect(next.html).toContain('Released as a request on');
    expect(next.forms.map(({ label }) => label)).toEqual(['Release Second', 'Release Shown']);
  });

  test('releases the request once, plans its deliveries from that time, and then hides the visitor’s data', async () => {
    const { path, read } = await holdRequest({ received_at: new Date(Date.now() - 3 * Day) });

    const first = await (await press(path, 'release')).text();
    const released = await read();

    expect(released.row).toMatchObject({ quarantined_at: null, spam_at: null });
    expect(released.deliveries.map(({ kind, stage, state }) => [kind, stage, state])).toEqual([
      ['acknowledgment', null, 'pending'],
      ['crm-export', null, 'pending'],
      ['follow-up', 'new', 'pending'],
      ['follow-up', 'reminder', 'pending'],
      ['follow-up', 'due', 'pending'],
    ]);
    expect(released.deliveries[0]?.due_at).toEqual(released.row?.released_at);
    expect(first).toContain('Released as a request on');
    expect(first).toContain('Answer by');
    for (const action of ['release', 'spam']) expect(await (await press(path, action)).text()).toBe(first);
    for (const text of ['ada@example.org', '555 0100', 'Mondays', 'This is']) expect(first).not.toContain(text);
    expect(await read()).toEqual(released);
  });

  test('marks the request as spam once, without releasing it, and can still release it later', async () => {
    const { path, read } = await holdRequest();

    const first = await (await press(path, 'spam')).text();
    const marked = await read();

    expect(marked.row?.spam_at).not.toBeNull();
    expect(marked.row?.quarantined_at).not.toBeNull();
    expect(marked.deliveries).toEqual([]);
    expect(first).toContain('Marked as spam on');
    expect(first).not.toContain('This is spam');
    expect(await (await press(path, 'spam')).text()).toBe(first);
    expect(await read()).toEqual(marked);
    expect(await (await press(path, 'release')).text()).toContain('Released as a request on');
    const { row, deliveries } = await read();
    expect(row).toMatchObject({ quarantined_at: null, spam_at: null });
    expect(deliveries).toHaveLength(5);
  });
});

test('sales gets a mail with a link to a held request, and the first mail about the request after its release', async () => {
  const { settings, sink } = await setUpDeliveries({ COOKIE_SECRET });
  const web = await openWeb(settings);
  await openWorker({ ...settings, PUBLIC_URL: web.origin });
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Held Sweets', subject: 'Offer' };
  const findMail = (ending: string) =>
    waitFor('the mail', () => sink.received.find(({ mail }) => mail.subject?.endsWith(ending)));

  await fetch(`${web.origin}/contact`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  const { mail } = await findMail(' 1 requests are held as possible spam');
  const [url = ''] = /https?:\S+\/follow-up\/held\/\S+/.exec(mail.text ?? '') ?? [];
  await fetch(url, makePost('release'));

  await findMail(' New assessment request: Held Sweets');
});
