import { expect } from 'vitest';
import { routePatterns } from '../../shared/paths.ts';
import { makeClient, makeContactBody } from '../support/contact-request.ts';
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
  // A post that a busy server rejects is repeated, as the page does.
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
