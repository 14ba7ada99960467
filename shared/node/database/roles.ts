import pg from 'pg';
import { Second } from '../../time.ts';
import { mergeConnection } from './database.ts';

const ROLES_LOCK = 0x726f6c65;

interface Login {
  readonly role: string;
  readonly password: string;
}

function readLogin(url: string): Login {
  const { username, password } = new URL(url);

  return { role: decodeURIComponent(username), password: decodeURIComponent(password) };
}

async function withClient(url: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(
    mergeConnection(url, {
      connectionTimeoutMillis: 10 * Second,
      // Fail instead of waiting: a statement that waits for a table's lock blocks all later ones.
      options: `-c lock_timeout=${5 * Second}`,
    }),
  );
  // If PostgreSQL ends the connection, the current or next statement throws.
  client.on('error', () => undefined);

  try {
    await client.connect();
    await run(client);
  } finally {
    await client.end();
  }
}

/** Begins a transaction and takes a lock. Without it, one of two concurrent `grant`s would fail. */
async function beginWithLock(client: pg.Client): Promise<void> {
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock($1)', [ROLES_LOCK]);
}

/** Runs a statement whose values PostgreSQL's `format` quotes: %I as an identifier, %L as a literal. */
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

/** Relations in schema `public` that another role owns. Omits indexes, which always belong to their table's owner. */
const RELATIONS_OF_OTHER_OWNERS = `
  select relation.relname as name
  from pg_class relation
  where relation.relnamespace = 'public'::regnamespace
    and relation.relkind in ('r', 'p', 'v', 'm', 'S')
    and relation.relowner <> (select oid from pg_roles where rolname = $1)
    -- A column's sequence always belongs to its table's owner.
    and not exists (
      select from pg_depend
      where classid = 'pg_class'::regclass and objid = relation.oid and deptype in ('a', 'i')
        and refclassid = 'pg_class'::regclass and relation.relkind = 'S'
    )`;

async function transferOwnership(client: pg.Client, owner: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(RELATIONS_OF_OTHER_OWNERS, [owner]);
  for (const { name } of rows) {
    await runQuoted(client, 'alter table public.%I owner to %I', name, owner);
  }
}

interface RoleUrls {
  readonly ownerUrl: string;
  readonly appUrl: string;
  /** Undefined if web uses the worker's role. */
  readonly webUrl?: string | undefined;
}

/** Creates the roles, sets their passwords, and makes `ownerUrl`'s role the owner of all relations. Idempotent. */
export async function ensureRoles(
  adminUrl: string,
  { ownerUrl, appUrl, webUrl }: RoleUrls,
): Promise<void> {
  const owner = readLogin(ownerUrl);
  const users = [appUrl, ...(webUrl === undefined ? [] : [webUrl])].map(readLogin);
  const database = decodeURIComponent(new URL(adminUrl).pathname.slice(1));

  await withClient(adminUrl, async (client) => {
    await beginWithLock(client);
    await ensureRole(client, owner);
    for (const user of users) await ensureRole(client, user);
    // The doctor looks for workers in pg_stat_activity, and a restore looks for other connections.
    await runQuoted(client, 'grant pg_read_all_stats to %I', owner.role);
    await runQuoted(client, 'alter database %I owner to %I', database, owner.role);
    await runQuoted(client, 'revoke all on database %I from public', database);
    for (const { role } of users) {
      await runQuoted(client, 'grant connect on database %I to %I', database, role);
    }
    await runQuoted(client, 'alter schema public owner to %I', owner.role);
    await client.query('revoke all on schema public from public');
    await transferOwnership(client, owner.role);
    await client.query('commit');
  });
}

/** Grants privileges on all tables, but only `select` on Knex's tables. */
async function grantOnTables(client: pg.Client, privileges: string, role: string): Promise<void> {
  await runQuoted(client, 'grant usage on schema public to %I', role);
  await runQuoted(client, `grant ${privileges} on all tables in schema public to %I`, role);
  await runQuoted(
    client,
    'revoke insert, update, delete on knex_migrations, knex_migrations_lock from %I',
    role,
  );
  await runQuoted(client, 'grant usage, select on all sequences in schema public to %I', role);
}

/** Lets the worker's role read and write all tables. Web's role can't delete rows or access `sales_rotation`. */
export async function grantPrivileges({ ownerUrl, appUrl, webUrl }: RoleUrls): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    await beginWithLock(client);
    await grantOnTables(client, 'select, insert, update, delete', readLogin(appUrl).role);
    if (webUrl !== undefined) {
      const { role } = readLogin(webUrl);
      await grantOnTables(client, 'select, insert, update', role);
      await runQuoted(client, 'revoke all on sales_rotation from %I', role);
    }
    await client.query('commit');
  });
}
