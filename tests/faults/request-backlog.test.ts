import { expect } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { oneMail, longTimeoutWorker, setUpFault } from './fault-fixture.ts';
import { faultRow } from './fault-row.ts';

const NETWORKS = 30;
const REQUESTS = 150;
/** Number of concurrent posts. */
const PORTION = 10;

/** Requests that one network may send within ten minutes. */
const BUDGET = 10;

const settings = {
  ...oneMail,
  ...longTimeoutWorker,
  MAIL_RATE: '1/s',
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_CONTACT: `${BUDGET}/10m`,
};

/** Posts requests from different /64 networks of one /48 network. */
async function flood(origin: string): Promise<void> {
  for (let sent = 0; sent < REQUESTS; sent += PORTION) {
    const responses = await Promise.all(
      Array.from({ length: PORTION }, (_, index) => {
        const client = `2001:db8:1:${((sent + index) % NETWORKS).toString(16)}::1`;

        return postContact(origin, makeContactBody({ company: 'Flood' }), client);
      }),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
  }
}

faultRow(73, '150 requests from one /48: another network’s request is mailed within a minute', async () => {
  const fixture = await setUpFault(settings);
  const { origin } = await startWeb(fixture.settings);
  await flood(origin);
  await startWorker(fixture.settings);

  expect((await postContact(origin, makeContactBody({ company: 'Real Sweets' }), '203.0.113.1')).status).toBe(201);
  const isMailed = () => fixture.sink.received.some(({ mail }) => mail.subject?.endsWith('Real Sweets'));
  await waitFor('the lead’s mail', isMailed, 60_000);
  // The flood's requests beyond the budget are held.
  expect(await fixture.database('contact_submissions').whereNotNull('quarantined_at')).toHaveLength(REQUESTS - BUDGET);
});
