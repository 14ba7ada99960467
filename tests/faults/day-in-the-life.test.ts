import { expect, onTestFinished, test } from 'vitest';
import { READY_AT } from '../../shared/node/deliveries/delivery-table.ts';
import { addDays, Day, formatDay, Minute } from '../../shared/time.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { makeClient, makeContactBody, postContact } from '../support/contact-request.ts';
import { pastNine, setUpDeliveries, startWorker, type DeliveryFixture } from '../support/delivery-fixture.ts';
import { listTimedTables, shiftTimes } from '../support/moved-clock.ts';
import { runOps } from '../support/run-ops.ts';
import type { ReceivedMail } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { requests, team, toAddress, toMinutes, toTime, type Deed, type Request } from './day-in-the-life.ts';

/** How far the clock moves per step, in minutes. */
const STEP = 10;
const [MORNING, NIGHT] = ['08:00', '22:00'];

/** The test takes about 15 s, and several times as long on a busy machine. */
const TIMEOUT = 4 * Minute;

/** Builds the form that records an outcome. `now` is the simulated time, in minutes since midnight. */
function makeForm(what: string, now: number): Record<string, string> {
  const [, at = '', person = ''] = /(?: at (\d\d:\d\d)| hand to (\w+))?$/.exec(` ${what}`) ?? [];
  if (what === 'answered') return { action: 'contacted' };
  if (what === 'not a fit') return { action: 'unfit', reason: 'Not our business.' };
  if (what === 'undo') return { action: 'undo' };
  if (what === 'remind in 2h') return { action: 'snooze', until: '2h' };
  if (person !== '') return { action: 'assign', to: toAddress(person) };
  if (at === '') throw new Error(`The table contains an unknown outcome: ‘${what}’.`);

  return {
    ...{ action: 'snooze', until: new Date(Date.now() + (toMinutes(at) - now) * Minute).toISOString() },
    ...(what.includes('past the promise') ? { past_promise: 'yes' } : {}),
  };
}

/** The recipients of a mail: `all`, a name such as `Anna`, or `the visitor`. */
function describeRecipients({ mail }: ReceivedMail): string {
  const addresses = mail.to?.map(({ address }) => address) ?? [];
  if (addresses.length === team.length) return 'all';

  return team.find(([, address]) => address === addresses.join())?.[0] ?? 'the visitor';
}

const describeStage = ({ header }: ReceivedMail) =>
  (header('X-Delivery-Stage') ?? '').replace('acknowledgment', 'thanks');

/** Returns whether a mail is about a request. A mail to a returning visitor is about their first request. */
const isAbout = (request: Request, { mail, header }: ReceivedMail) =>
  header('X-Submission-Id') === request.id ||
  (mail.to?.some(({ address }) => address === request.email) &&
    requests.find(({ email }) => email === request.email) === request);

/** Sets up a site with three salespeople. Moving all stored times back advances its clock. */
async function openDay() {
  const fixture = await setUpDeliveries({
    ...{ SALES_EMAIL: team.map(([, address]) => address).join(), SALES_ASSIGNMENT: 'rotate', ACKNOWLEDGE: 'on' },
    ...{ FOLLOW_UP_REMINDER_AFTER: '3h', FOLLOW_UP_AFTER: '4h', CRM_PROVIDER: 'none', COOKIE_SECRET: 's'.repeat(32) },
  });
  const app = await buildTestApp(fixture.settings);
  onTestFinished(app.close);
  const WORKER_TIMINGS = JSON.stringify({ lease: 20_000, attempt: 15_000, sweep: 300 });
  await startWorker({ ...fixture.settings, WORKER_TIMINGS });
  const tables = await listTimedTables(fixture.database);
  const moveClock = (ms = STEP * Minute) => fixture.database.raw(shiftTimes(tables, -ms));

  return { ...fixture, app, moveClock };
}

/** Waits until no delivery is due or running. */
async function untilIdle({ database }: Pick<DeliveryFixture, 'database'>, time: string): Promise<void> {
  const listDue = () =>
    database('deliveries')
      .whereNot({ kind: 'crm-export' })
      .whereRaw(`(state = 'leased' or (state = 'pending' and ${READY_AT} <= now()))`);
  await waitFor(`the deliveries due at ${time} to be sent`, async () => (await listDue()).length === 0, TIMEOUT);
}

/** Returns the path and query of a mail's link. */
function findLink(mail: ReceivedMail | undefined): string {
  const link = /^(?:Mark as contacted|Open request or undo): (\S+)$/m.exec(mail?.mail.text ?? '')?.[1];
  if (link === undefined) throw new Error('There is no mail with a link.');
  const { pathname, search } = new URL(link);

  return pathname + search;
}

/** Repeats a request while a busy machine responds with 503. */
const sendUntilAccepted = (send: () => Promise<Response>): Promise<Response> =>
  waitFor('a response other than 503', async () => {
    const response = await send();

    return response.status !== 503 && response;
  }, TIMEOUT);

/** Records an outcome through the link in the last mail to that person alone or, for `somebody`, to all. */
async function recordOutcome(app: TestApp, mails: readonly ReceivedMail[], { who, what }: Deed, now: number) {
  const recipient = who === 'somebody' ? 'all' : who;
  const mail = mails.findLast((one) => describeRecipients(one) === recipient && describeStage(one) !== 'outcome');
  expect(mail, `the mail from which ${who} records ‘${what}’ at ${toTime(now)}`).toBeDefined();
  const response = await sendUntilAccepted(() => app.fetch(findLink(mail), { method: 'POST', body: new URLSearchParams(makeForm(what, now)) }));
  expect(response.status, what).toBeLessThan(400);
}

/**
 * Simulates the day, step by step.
 * @param meanwhile other events, by time
 * @returns the time of each mail
 */
async function simulateDay(
  day: Awaited<ReturnType<typeof openDay>>,
  meanwhile: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<ReadonlyMap<ReceivedMail, string>> {
  const { app, sink } = day;
  const times = new Map<ReceivedMail, string>();
  const settle = async (time: string) => {
    await untilIdle(day, time);
    for (const mail of sink.received) if (!times.has(mail)) times.set(mail, time);
  };

  for (let now = toMinutes(MORNING); now <= toMinutes(NIGHT); now += STEP) {
    const time = toTime(now);
    await meanwhile[time]?.();
    await settle(time);
    for (const request of requests) {
      for (const deed of request.deeds.filter((one) => one.time === time)) {
        await recordOutcome(app, sink.received.filter((mail) => isAbout(request, mail)), deed, now);
        await settle(time);
      }
      if (request.came !== time) continue;
      const body = makeContactBody({ id: request.id, company: request.company, email: request.email });
      const client = makeClient();
      expect((await sendUntilAccepted(() => postContact(app, body, client))).ok).toBe(true);
      await settle(time);
    }
    await day.moveClock();
  }

  return times;
}

test('a day in the life: everyone gets the mails in the table at the listed times, although Redis restarts at noon', async () => {
  const day = await openDay();
  const { app, sink, redis, settings } = day;
  const bounced = requests.filter(({ company }) => company === 'Dorn Metal');
  for (const { email } of bounced) sink.refusedRecipients.set(email, 550);
  const operate = async (...args: string[]) => {
    const { exitCode, output, errorOutput } = await runOps(settings, ...args);
    expect(exitCode, errorOutput).toBe(0);

    return output;
  };

  const times = await simulateDay(day, {
    '08:00': () => operate('sales', 'away', toAddress('Cora'), '--until', '2999-12-31'),
    '12:00': () => redis.kill(),
    '12:20': () => redis.start(),
    '13:00': () => operate('sales', 'back', toAddress('Cora')),
  });

  const listMails = (request: Request) =>
    sink.received
      .filter((mail) => isAbout(request, mail))
      .map((mail) => `${times.get(mail)} ${describeStage(mail)} to ${describeRecipients(mail)}`);
  const describe = ({ came, company }: Request, mails: readonly string[]) =>
    `${came} ${company}: ${mails.toSorted().join(', ')}`;
  expect(requests.map((request) => describe(request, listMails(request)))).toEqual(
    requests.map((request) => describe(request, request.mails)),
  );
  expect(sink.received).toHaveLength(requests.flatMap(({ mails }) => mails).length);

  const reminder = sink.received.find((mail) => describeStage(mail) === 'reminder' && bounced.some((one) => isAbout(one, mail)));
  expect(reminder?.mail.text, 'the bounce').toMatch(/^Address refused our mail: /m);
  const again = sink.received.findLast(({ mail }) => mail.subject?.includes('Adler Foods'));
  const page = await (await sendUntilAccepted(() => app.fetch(findLink(again)))).text();
  expect(page).toMatch(/2nd request from adler-foods\.example; last answered by anna@sales\.example/);

  const today = formatDay(Date.now(), pastNine);
  const report = await operate('report', '--from', addDays(today, -2), '--to', today);
  const rows = {
    ...{ Requests: 40, Answered: 32, 'Answered in time': '30 of', 'Not a fit': 3, 'Still open': 5, 'Open and overdue': 5 },
    ...{ 'Held as possible spam': 0, [toAddress('Ben')]: 12, [toAddress('Anna')]: 8, [toAddress('Cora')]: 6, Unknown: 6 },
  };
  for (const [label, value] of Object.entries(rows)) expect(report).toMatch(new RegExp(`│ ${label}\\s+│ ${value}\\b`));

  const isOpen = ({ deeds, mails }: Request) => mails.some((mail) => mail.endsWith('due to all')) && deeds.every(({ what }) => what.startsWith('hand'));
  const open = requests.filter(isOpen).map(({ company }) => `[Praline] Still open: ${company}`);
  const listPlanned = () => day.database('deliveries').where({ stage: 'overdue', state: 'pending' });
  await waitFor('the next morning’s mails to be planned', async () => (await listPlanned()).length === open.length);
  const { length } = sink.received;
  await day.moveClock(1 * Day);
  await untilIdle(day, 'nine the next morning');
  const morning = sink.received.slice(length);
  expect(morning.map((mail) => `${describeStage(mail)} to ${describeRecipients(mail)}`)).toEqual(open.map(() => 'overdue to all'));
  expect(morning.map(({ mail }) => mail.subject).sort()).toEqual(open.sort());
  expect(morning.map(({ mail }) => mail.references)).not.toContain(undefined);
}, TIMEOUT);
