import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { isListingOpen, PASSWORD, readCookie, tryPassword } from '../support/insights-gate.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { listMailReceipts } from './reconcile.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, longTimeoutWorker, setUpFault, type FaultFixture } from './fault-fixture.ts';
import { postSteadily, sendAgain } from './steady-posts.ts';

interface Secrets {
  readonly database: string;
  readonly redis: string;
  readonly smtp: string;
  readonly cookies: string;
}

/** Deliveries one worker processes at once. */
const CONCURRENCY = 5;

const makeSecret = () => randomBytes(24).toString('hex');

const makeSecrets = (): Secrets => ({
  database: makeSecret(),
  redis: makeSecret(),
  smtp: makeSecret(),
  cookies: makeSecret(),
});

/** A mail server with one account, whose password can change. */
async function startSecuredSink(first: string) {
  let password = first;
  const sink = await startSmtpSink({
    authOptional: false,
    onAuth: ({ password: given }, _session, callback) =>
      given === password
        ? callback(null, { user: 'site' })
        : callback(Object.assign(new Error('no'), { responseCode: 535 })),
  });
  onTestFinished(() => sink.close());

  return { sink, setPassword: (next: string) => void (password = next) };
}

/** The accounts of the site at PostgreSQL and Redis, and how their passwords change. */
function makeAccounts({ database, redis }: FaultFixture) {
  const role = `site_${randomBytes(6).toString('hex')}`;

  return {
    role,
    create: async (secrets: Secrets) => {
      await database.raw(`create role ${role} superuser login password '${secrets.database}'`);
      await redis.command('ACL', 'SETUSER', 'site', 'on', `>${secrets.redis}`, '~*', '&*', '+@all');
    },
    setDatabasePassword: (secret: string) => database.raw(`alter role ${role} password '${secret}'`),
    /** Redis takes the old password too, until it is removed. */
    addRedisPassword: (secret: string) => redis.command('ACL', 'SETUSER', 'site', `>${secret}`),
    removeRedisPassword: (secret: string) => redis.command('ACL', 'SETUSER', 'site', `<${secret}`),
    remove: () => database.raw(`drop role ${role}`),
  };
}

async function unlock(origin: string): Promise<string> {
  return readCookie(await tryPassword(origin, { password: PASSWORD })) ?? '';
}

faultRow(58, 'All secrets rotated under load: nothing lost, sessions and mailed links stay valid, the old secrets stop working', async (chance) => {
  const [old, next] = [makeSecrets(), makeSecrets()];
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { database, accepted } = fixture;
  const { sink, setPassword } = await startSecuredSink(old.smtp);
  const accounts = makeAccounts(fixture);
  await accounts.create(old);
  onTestFinished(async () => void (await accounts.remove()));
  const withSecrets = (secrets: Secrets, cookies: string) => {
    const url = new URL(fixture.settings['DATABASE_URL'] ?? '');
    Object.assign(url, { username: accounts.role, password: secrets.database });

    return {
      ...fixture.settings,
      DATABASE_URL: url.href,
      REDIS_URL: fixture.redis.url.replace('://', `://site:${secrets.redis}@`),
      SMTP_URL: sink.url.replace('://', `://site:${secrets.smtp}@`),
      COOKIE_SECRET: cookies,
      INSIGHTS_PASSWORD: PASSWORD,
    };
  };
  let web = await startWeb(withSecrets(old, old.cookies));
  const oldWorker = await startWorker(withSecrets(old, old.cookies));
  const cookie = await unlock(web.origin);
  const posting = postSteadily(fixture, () => web.origin, 2);
  await waitFor('some mails', () => sink.received.length > 2);
  const link = /\/follow-up\/[\w.-]+/.exec(sink.received[0]?.mail.text ?? '')?.[0] ?? '';
  await chance.letTimePass(500);

  // As the operations handbook says: Redis takes both, then the others change, then the restart.
  await accounts.addRedisPassword(next.redis);
  setPassword(next.smtp);
  await accounts.setDatabasePassword(next.database);
  await chance.letTimePass(500);
  const both = withSecrets(next, `${next.cookies},${old.cookies}`);
  const successor = await startWeb(both);
  const oldWeb = web;
  web = successor;
  await Promise.all([oldWeb.stop(), oldWorker.stop()]);
  await startWorker(both);
  const recoveredAt = Date.now();
  await accounts.removeRedisPassword(old.redis);
  await waitFor('more requests', () => accepted.length > 10);
  const refused = await posting.stop();

  await sendAgain(fixture, web.origin, refused.slice(0, 20));
  expect(await isListingOpen(web.origin, cookie)).toBe(true);
  expect((await fetch(web.origin + link)).status).toBe(200);
  const rows = await database('contact_submissions');
  await waitFor('all mails', async () => (await countStates(database))['sent'] === rows.length, 60_000);
  // A mail taken while the worker lost its login couldn't be recorded: at most one more for each in progress.
  const receipts = listMailReceipts(sink.received);
  await fixture.expectMails({ receipts, recoveredAt }, CONCURRENCY);

  const fresh = await unlock(web.origin);
  await web.stop();
  const last = await startWeb(withSecrets(next, next.cookies));
  expect(await isListingOpen(last.origin, fresh)).toBe(true);
  expect(await isListingOpen(last.origin, cookie)).toBe(false);
  expect((await fetch(last.origin + link)).status).toBe(404);
});
