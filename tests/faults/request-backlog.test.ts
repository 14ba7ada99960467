import { expect } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { oneMail, longTimeoutWorker, setUpFault, type FaultFixture } from './fault-fixture.ts';
import { faultRow } from './fault-row.ts';

const NETWORKS = 30;
const REQUESTS = 150;
/** Posted at the same time. */
const PORTION = 10;

/** Mails that may be sent before the request's own: those in progress, and the flood's first. */
const MAX_BEFORE = 8;

/** A backlog that takes a while at this rate; the flood's requests are all within the limits. */
const settings = {
  ...oneMail,
  ...longTimeoutWorker,
  MAIL_RATE: '20/s',
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_CONTACT: '1000/10m',
};

/** Posts from the /64s of one /48. */
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

const countMails = ({ sink }: FaultFixture, company: string) =>
  sink.received.filter(({ mail }) => mail.subject?.endsWith(company)).length;

/** A request of another network, posted while the backlog is sent, is the next to be mailed. */
async function expectLeadFirst(fixture: FaultFixture, origin: string): Promise<void> {
  await waitFor('the backlog to begin to leave', () => countMails(fixture, 'Flood') >= 5);
  const body = makeContactBody({ company: 'Real Sweets' });
  expect((await postContact(origin, body, '203.0.113.1')).status).toBe(201);
  const before = countMails(fixture, 'Flood');
  await waitFor('the lead’s mail', () => countMails(fixture, 'Real Sweets') === 1, 60_000);

  const subjects = fixture.sink.received.map(({ mail }) => mail.subject ?? '');
  const place = subjects.findIndex((subject) => subject.endsWith('Real Sweets'));
  expect(place - before).toBeLessThanOrEqual(MAX_BEFORE);
  expect(before + MAX_BEFORE).toBeLessThan(REQUESTS);
}

faultRow(73, '150 requests from one /48: another network’s request is mailed before their backlog', async () => {
  const fixture = await setUpFault(settings);
  const { origin } = await startWeb(fixture.settings);
  await flood(origin);
  await startWorker(fixture.settings);

  await expectLeadFirst(fixture, origin);
});

faultRow(74, '150 requests from one /48 while Redis is down: another network’s request is mailed before their backlog', async () => {
  const fixture = await setUpFault(settings);
  const { origin } = await startWeb(fixture.settings);
  await fixture.redis.kill();
  await flood(origin);
  await startWorker(fixture.settings);

  await expectLeadFirst(fixture, origin);
});
