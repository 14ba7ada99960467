import pg from 'pg';
import { Second } from '../../time.ts';

/*
 * Three roles share the work on the database: one owns it and changes its schema (migrations,
 * operator's tool, backups), one reads, writes and deletes rows (worker), and one, of the process that
 * visitors reach, reads and writes rows and can delete none (web).
 */

/** Any number, the same for all starters; spells 'role'. */
const ADVISORY_LOCK = 0x726f6c65;

interface Login {
  readonly role: string;
  readonly password: string;
}

function readLogin(url: string): Login {
  const { username, password } = new URL(url);

  return { role: decodeURIComponent(username), password: decodeURIComponent(password) };
}

async function withClient(url: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10 * Second,
    // What holds a table for long would make the site wait behind this; it fails instead.
    options: `-c lock_timeout=${5 * Second}`,
  });

  try {
    await client.connect();
    await run(client);
  } finally {
    await client.end();
  }
}

/** Begins a transaction; PostgreSQL fails one of two that grant rights at the same time. */
async function beginAlone(client: pg.Client): Promise<void> {
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
}

/** Runs a statement whose names and texts PostgreSQL itself quotes: %I is a name, %L a text. */
async function runQuoted(
  client: pg.Client,
  template: string,
  ...values: readonly string[]
): Promise<void> {
  const list = values.map((_, index) => `$${index + 2}::text`).join(', ');
  const { rows } = await client.query<{ statement: string }>(
    `select format($1, ${list}) as statement`,
    [template, ...values],
  );
  await client.query(rows[0]?.statement ?? '');
}

async function ensureRole(client: pg.Client, { role, password }: Login): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
  if (rowCount === 0) await runQuoted(client, 'create role %I', role);
  await runQuoted(
    client,
    'alter role %I login nosuperuser nocreatedb nocreaterole noreplication password %L',
    role,
    password,
  );
}

/** Tables and what else of the schema `public` has another owner; indexes follow their table. */
const FOREIGN_RELATIONS = `
  select relation.relname as name
  from pg_class relation
  where relation.relnamespace = 'public'::regnamespace
    and relation.relkind in ('r', 'p', 'v', 'm', 'S')
    and relation.relowner <> (select oid from pg_roles where rolname = $1)
    -- A sequence of a column goes with its table.
    and not exists (
      select from pg_depend
      where classid = 'pg_class'::regclass and objid = relation.oid and deptype in ('a', 'i')
        and refclassid = 'pg_class'::regclass and relation.relkind = 'S'
    )`;

async function handOver(client: pg.Client, owner: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(FOREIGN_RELATIONS, [owner]);
  for (const { name } of rows) {
    await runQuoted(client, 'alter table public.%I owner to %I', name, owner);
  }
}

/** The roles by the URLs that carry their names and passwords. */
export interface RoleUrls {
  readonly ownerUrl: string;
  readonly appUrl: string;
  /** Undefined where web uses the role of the worker. */
  readonly webUrl?: string | undefined;
}

/**
 * Makes the roles with the passwords their URLs carry, and the first the owner of the database
 * and of what is in it already. Does nothing that is done; several at once wait for each other.
 * @param adminUrl the same database as a superuser
 * @throws when PostgreSQL can't be reached or refuses; nothing is changed then
 */
export async function prepareRoles(
  adminUrl: string,
  { ownerUrl, appUrl, webUrl }: RoleUrls,
): Promise<void> {
  const owner = readLogin(ownerUrl);
  const users = [appUrl, ...(webUrl === undefined ? [] : [webUrl])].map(readLogin);
  const database = decodeURIComponent(new URL(adminUrl).pathname.slice(1));

  await withClient(adminUrl, async (client) => {
    await beginAlone(client);
    await ensureRole(client, owner);
    for (const user of users) await ensureRole(client, user);
    // Who else is connected: the doctor looks for the worker, a restore for anybody.
    await runQuoted(client, 'grant pg_read_all_stats to %I', owner.role);
    await runQuoted(client, 'alter database %I owner to %I', database, owner.role);
    await runQuoted(client, 'revoke all on database %I from public', database);
    for (const { role } of users) {
      await runQuoted(client, 'grant connect on database %I to %I', database, role);
    }
    await runQuoted(client, 'alter schema public owner to %I', owner.role);
    await client.query('revoke all on schema public from public');
    await handOver(client, owner.role);
    await client.query('commit');
  });
}

/** Grants these rights on all rows, and reading alone on what migrations noted. */
async function grantRows(client: pg.Client, rights: string, role: string): Promise<void> {
  await runQuoted(client, 'grant usage on schema public to %I', role);
  await runQuoted(client, `grant ${rights} on all tables in schema public to %I`, role);
  await runQuoted(
    client,
    'revoke insert, update, delete on knex_migrations, knex_migrations_lock from %I',
    role,
  );
  await runQuoted(client, 'grant usage, select on all sequences in schema public to %I', role);
}

/**
 * Lets the application's role read, write and delete rows of all tables, and web's do so without
 * deleting. Several at once wait for each other.
 * @throws when PostgreSQL can't be reached or a role doesn't exist
 */
export async function grantToApplication({ ownerUrl, appUrl, webUrl }: RoleUrls): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    await beginAlone(client);
    await grantRows(client, 'select, insert, update, delete', readLogin(appUrl).role);
    if (webUrl !== undefined) {
      await grantRows(client, 'select, insert, update', readLogin(webUrl).role);
    }
    await client.query('commit');
  });
}
