import { expect, onTestFinished } from 'vitest';
import type { Page } from 'playwright-core';
import { routePatterns } from '../../shared/paths.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { makeClient, makeContactBody, postContact } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';

const PARALLEL = 50;

faultRow(50, 'Fifty parallel posts of one key, or of one plain form: one row, the same response', async () => {
  const fixture = await setUpFault(oneMail);
  const { database } = fixture;
  const { origin } = await startWeb(fixture.settings);
  await startWorker(fixture.settings);
  const body = makeContactBody();
  const form = { name: 'Ada', email: 'ada@example.org', company: 'Plain' };
  const postForm = () =>
    fetch(origin + routePatterns.contact, {
      method: 'POST',
      headers: { 'x-forwarded-for': makeClient() },
      body: new URLSearchParams(form),
      redirect: 'manual',
    });
  // What a busy server turns away is sent again, as by the page.
  const sendUntilTaken = async (send: () => Promise<Response>) => {
    for (;;) {
      const response = await send();
      if (response.status !== 503) return response;
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    }
  };
  const repeat = (send: () => Promise<Response>) =>
    Promise.all(Array.from({ length: PARALLEL }, () => sendUntilTaken(send)));

  const responses = await repeat(() => fixture.submit(origin, body));
  const plain = await repeat(postForm);

  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: PARALLEL - 1 }, () => 200), 201]);
  for (const response of responses) expect(await response.json()).toEqual({ id: body.id });
  for (const { status, headers } of plain) {
    expect([status, headers.get('location')]).toEqual([303, '/contact?sent=1']);
  }
  const rows = await database('contact_submissions').orderBy('company');
  expect(rows.map(({ company }) => company)).toEqual(['Example Sweets', 'Plain']);
  expect(await database('deliveries')).toHaveLength(8);
  await waitFor('the mails', async () => (await countStates(database))['sent'] === 2);
  await fixture.expectMails({ accepted: rows.map(({ id }) => id) });
});

faultRow(51, 'An old body again under its key: the first response and nothing new done; another body under it: 409', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const { database } = fixture;
  const { origin } = await startWeb(fixture.settings);
  await startWorker(fixture.settings);
  const body = makeContactBody();
  expect((await fixture.submit(origin, body)).status).toBe(201);
  await waitFor('the mail', async () => (await countStates(database))['sent'] === 1);
  const [stored] = await database('contact_submissions');
  const deliveries = await database('deliveries').orderBy('id');

  const repeat = { ...body, name: ` ${body.name}`, submitted_at: '2025-11-04T10:00:00Z' };
  for (const again of [body, repeat]) {
    const response = await postContact(origin, again);
    expect([response.status, await response.json()]).toEqual([200, { id: body.id }]);
  }
  const field = chance.pick(['name', 'company', 'phone', 'message'] as const);
  const other = await postContact(origin, { ...body, [field]: 'Something else' });
  expect(other.status).toBe(409);
  expect(other.headers.get('content-type')).toContain('application/problem+json');
  expect(await other.json()).toMatchObject({ code: 'id-conflict', status: 409 });

  expect(await database('contact_submissions')).toEqual([stored]);
  expect(await database('deliveries').orderBy('id')).toEqual(deliveries);
  await fixture.expectMails();
});

async function fillIn(page: Page, company: string): Promise<void> {
  await page.locator('[name=name]').fill('Ada');
  await page.locator('[name=email]').fill('ada@example.org');
  await page.locator('[name=company]').fill(company);
}

const send = async (page: Page) => {
  await page.locator('main form [type=submit]').click();
  await page.waitForURL('**/contact?sent=1');
};

faultRow(52, 'Without scripts: two visitors with one cached page have a row each; going back and sending again makes no second', async () => {
  const fixture = await setUpFault(oneMail);
  const { database } = fixture;
  const { origin } = await startWeb(fixture.settings);
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const cached = await (await fetch(origin + routePatterns.contact)).text();
  /** A visitor behind a cache that gives everybody the same copy. */
  const visit = async () => {
    const { page } = await openPage(browser, { javaScriptEnabled: false });
    await page.route(origin + routePatterns.contact, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ contentType: 'text/html; charset=utf-8', body: cached })
        : route.continue(),
    );
    await page.goto(origin + routePatterns.contact);

    return page;
  };
  const [first, second] = [await visit(), await visit()];

  await fillIn(first, 'First');
  await fillIn(second, 'Second');
  await send(first);
  await send(second);
  await first.goBack();
  await fillIn(first, 'First');
  await send(first);

  expect(await first.locator('main').innerText()).toContain("We'll be in touch within 2 hours");
  const rows = await database('contact_submissions').orderBy('company');
  expect(rows.map(({ company }) => company)).toEqual(['First', 'Second']);
  expect(await database('deliveries')).toHaveLength(8);
  await startWorker(fixture.settings);
  await waitFor('the mails', async () => (await countStates(database))['sent'] === 2);
  await fixture.expectMails({ accepted: rows.map(({ id }) => id) });
});
