import { randomUUID } from 'node:crypto';
import { beforeAll, onTestFinished } from 'vitest';
import { apiPaths } from '../../../shared/paths.ts';
import { Day } from '../../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../../support/database.ts';
import { openWebServer, type OpenWeb } from '../../support/open-site.ts';

export const COOKIE_SECRET = 's'.repeat(32);
/** `TRUST_PROXY` lets a request set its own client address. */
export const settings = { COOKIE_SECRET, TRUST_PROXY: '127.0.0.1' };
/** The database that a file's tests share. */
let databaseUrl: string;
/** The web server that a file's tests share. */
export let web: OpenWeb;

/** Sets up a database and a web server that a file's tests share. */
export function setUpWeb(): void {
  beforeAll(async () => {
    databaseUrl = await createMigratedDatabase();
    web = await openWebServer({ ...settings, DATABASE_URL: databaseUrl });

    return web.stop;
  });
}

export const openTestDatabase = () => openDatabase(databaseUrl, onTestFinished);

let clients = 0;

/** Returns headers for a new client in its own network. */
export function makeClient() {
  clients += 1;

  return { 'x-forwarded-for': `198.18.${clients}.1` };
}

export const today = new Date();
export const yesterday = new Date(Date.now() - Day);

export const makeEmail = () => `reader-${randomUUID()}@example.org`;

export function post(email: unknown, headers: Record<string, string> = makeClient(), origin = web.origin) {
  return fetch(origin + apiPaths.newsletterSubscriptions, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ email, source: 'x', confirmed_at: '2020-01-01' }),
  });
}

/** Stores a subscription whose last mail was sent long enough ago to allow another. */
export async function makeSubscription(times: Record<string, Date> = {}) {
  const database = openTestDatabase();
  const email = makeEmail();
  const [row] = await database('newsletter_subscriptions').insert({ email, mailbox: email, ...times }).returning('id');
  if (!row) throw new Error('There is no row.');
  const { id } = row;
  await database('deliveries').insert({
    subscription_id: id,
    kind: 'newsletter',
    state: 'sent',
    due_at: database.raw("now() - interval '11 minutes'"),
  });
  const read = () => database('newsletter_subscriptions').where({ id }).first();

  return { database, email, id, read };
}
