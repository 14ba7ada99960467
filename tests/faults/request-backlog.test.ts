import { expect } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { oneMail, longTimeoutWorker, setUpFault } from './fault-fixture.ts';
import { faultRow } from './fault-row.ts';

const NETWORKS = 30;
const REQUESTS = 150;
const CONCURRENT_POSTS = 10;

/** How many requests one network may send within ten minutes. */
const LIMIT = 10;

const settings = {
  ...oneMail,
  ...longTimeoutWorker,
  MAIL_RATE: '1/s',
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_CONTACT: `${LIMIT}/10m`,
};

/** Posts requests from several /64 networks of one /48 network. */
async function flood(origin: string): Promise<void> {
  for (let sent = 0; sent < REQUESTS; sent += CONCURRENT_POSTS) {
    const responses = await Promise.all(
      Array.from({ length: CONCURRENT_POSTS }, (_, index) => {
        const client = `2001:db8:1:${((sent + index) % NETWORKS).toString(16)}::1`;

        return postContact(origin, makeContactBody({ company: 'Flood' }), client);
      }),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
  }
}

faultRow(73, '150 requests from one /48 network: a request from another network is mailed within a minute', async () => {
  const fixture = await setUpFault(settings);
  const { origin } = await startWeb(fixture.settings);
  await flood(origin);
  await startWorker(fixture.settings);

  expect((await postContact(origin, makeContactBody({ company: 'Real Sweets' }), '203.0.113.1')).status).toBe(201);
  const isMailed = () => fixture.sink.received.some(({ mail }) => mail.subject?.endsWith('Real Sweets'));
  await waitFor('the mail about the real request', isMailed, 60_000);
  // The flood's requests beyond the limit are in quarantine.
  expect(await fixture.database('contact_submissions').whereNotNull('quarantined_at')).toHaveLength(REQUESTS - LIMIT);
});
