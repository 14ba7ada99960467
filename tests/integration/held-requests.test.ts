import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { Day, Hour } from '../../shared/time.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { storeSubmission } from '../support/ops-fixture.ts';
import { waitFor } from '../support/wait-for.ts';

const COOKIE_SECRET = 's'.repeat(32);

const makePress = (action: string) => ({ method: 'POST', body: new URLSearchParams({ action }) });

describe('the page of a held request', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await buildTestApp({ COOKIE_SECRET });

    return app.close;
  });

  const press = (path: string, action: string) => app.fetch(path, makePress(action));

  const makePath = (id: string, purpose: 'held' | 'follow-up' = 'held', madeAt?: number) =>
    pathTo.heldRequest(signLinkToken(purpose, id, [COOKIE_SECRET], madeAt));

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

    return { id, path: makePath(id), read };
  }

  test('has every field and the reasons, may not be cached or indexed, and opening it twice changes nothing', async () => {
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

  test('lists the other undecided requests of its mail in order of arrival, each with a button', async () => {
    const held_mail_id = randomUUID();
    const hold = (company: string, hoursAgo: number, changes = {}) =>
      holdRequest({ company, held_mail_id, quarantined_at: new Date(Date.now() - hoursAgo * Hour), ...changes });
    const [second, first, own] = [await hold('Second', 2), await hold('First', 3), await hold('Own', 1)];
    await hold('Spam', 4, { spam_at: new Date() });
    await hold('Elsewhere', 4, { held_mail_id: null });
    const read = async (response: Promise<Response>) => {
      const html = await (await response).text();
      const forms = [...html.matchAll(/action="(\/follow-up\/held\/[^"]+)".*?<button[^>]*value="release"[^>]*>(.*?)<\/button>/gs)];

      return { html, forms: forms.map(([, path = '', label = '']) => ({ path, label: label.replaceAll(/<[^>]*>/g, '') })) };
    };
    const { html, forms } = await read(app.fetch(own.path));
    expect(forms.map(({ label }) => label)).toEqual(['This is a request', 'Release First', 'Release Second']);
    expect(html).toMatch(/>First<.*>Second</s);
    expect(html).not.toMatch(/Spam<|Elsewhere/);

    const next = await read(press(forms[1]?.path ?? '', 'release'));
    expect((await first.read()).row?.released_at).not.toBeNull();
    expect((await second.read()).row?.released_at).toBeNull();
    expect(next.html).toContain('Released as a request on');
    expect(next.forms.map(({ label }) => label)).toEqual(['Release Second', 'Release Own']);
  });

  test('releases the request once, starts its deliveries then, and shows little afterwards', async () => {
    const { path, read } = await holdRequest({ received_at: new Date(Date.now() - 3 * Day) });

    const first = await (await press(path, 'release')).text();
    const released = await read();
    const second = await (await press(path, 'release')).text();
    const late = await press(path, 'spam');

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
    expect(second).toBe(first);
    expect(await late.text()).toBe(first);
    for (const text of ['ada@example.org', '555 0100', 'Mondays', 'This is']) expect(first).not.toContain(text);
    expect(await read()).toEqual(released);
  });

  test('marks spam once, keeps it held, and can still release it after a mistake', async () => {
    const { path, read } = await holdRequest();

    const first = await (await press(path, 'spam')).text();
    const marked = await read();
    const second = await (await press(path, 'spam')).text();

    expect(marked.row?.spam_at).not.toBeNull();
    expect(marked.row?.quarantined_at).not.toBeNull();
    expect(marked.deliveries).toEqual([]);
    expect(first).toContain('Marked as spam on');
    expect(first).not.toContain('This is spam');
    expect(second).toBe(first);
    expect(await read()).toEqual(marked);
    expect(await (await press(path, 'release')).text()).toContain('Released as a request on');
    const { row, deliveries } = await read();
    expect(row).toMatchObject({ quarantined_at: null, spam_at: null });
    expect(deliveries).toHaveLength(5);
  });

  test('appears in the log only as its route', async () => {
    const { path } = await holdRequest();
    await press(path, 'spam');

    await waitFor('the line', () => app.output().includes(routePatterns.heldRequest));
    expect(app.output()).not.toContain(path.slice(path.lastIndexOf('/') + 1));
    expect(app.output()).not.toMatch(/Ada|Example Sweets/);
  });
});

test('sales gets one mail with a link to a held request, and the request itself once it is released there', async () => {
  const { settings, database, sink } = await setUpDeliveries({ COOKIE_SECRET });
  const web = await openWeb(settings);
  await openWorker({ ...settings, PUBLIC_URL: web.origin });
  const listSubjects = () => sink.received.map(({ mail }) => mail.subject ?? '');
  const post = (fields: Record<string, string>) =>
    fetch(`${web.origin}/contact`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'Ada', email: 'ada@example.org', ...fields }),
      redirect: 'manual',
    });
  /** Finds the link in the mail that names a company. */
  const findLink = async (company: string) => {
    const find = () => sink.received.find(({ mail: { subject, text } }) => subject?.includes('held') && text?.includes(company));
    await waitFor(`the mail about ${company}`, () => find() !== undefined);
    const text = find()?.mail.text ?? '';

    return /https?:\S+\/follow-up\/held\/\S+/.exec(text.slice(text.indexOf(company)))?.[0] ?? '';
  };

  const responses = [
    await post({ company: 'www.acme.example', subject: '' }),
    await post({ company: 'Held Sweets', subject: 'Offer' }),
  ];
  expect(responses.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
    [303, '/contact?sent=1'],
    [303, '/contact?sent=1'],
  ]);
  const heldUrl = await findLink('Held Sweets');
  await post({ company: 'Later Sweets', subject: 'Offer' });
  await fetch(heldUrl, makePress('release'));
  const isNewMail = (company: string) => (subject: string) => subject.includes('New assessment request') && subject.includes(company);
  await waitFor('both requests', () =>
    ['www.acme.example', 'Held Sweets'].every((company) => listSubjects().some(isNewMail(company))),
  );

  const isHeldMail = (subject: string) => subject.endsWith(' held as possible spam');
  expect(listSubjects().filter(isHeldMail)).toHaveLength(1);
  await database('deliveries').where({ kind: 'held-requests' }).update({ sent_at: database.raw("now() - interval '1 hour'") });
  await fetch(await findLink('Later Sweets'), makePress('spam'));
  const [second] = sink.received.filter(({ mail }) => isHeldMail(mail.subject ?? '')).slice(1);
  expect(second?.mail.subject).toMatch(/1 requests are held as possible spam$/);
  expect(second?.mail.text).not.toContain('Held Sweets');
  expect(await database('deliveries').whereNotNull('submission_id').whereNull('event_id').whereRaw("stage is distinct from 'overdue'")).toHaveLength(8);
});
