import type { Command } from 'commander';
import { ConfigError, loadConfig, type Config } from '../../shared/node/config/config.ts';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { makeSafe, say, toJson } from '../cli/terminal.ts';
import { checkBackup } from './check-backup.ts';
import { checkCrm } from './check-crm.ts';
import { checkDeliveries } from './check-deliveries.ts';
import { checkDisk, checkErasuresFolder } from './check-disk.ts';
import { checkErasures } from './check-erasures.ts';
import { checkMail } from './check-mail.ts';
import { checkSchema, assessPostgres, inspectPostgres } from './check-postgres.ts';
import { checkRedis } from './check-redis.ts';
import { runCheck, runChecks, type Check, type Finding } from './check.ts';

const skipRest: Finding = {
  check: 'deliveries',
  status: 'skip',
  detail: 'Neither these nor anything else in the database was looked at.',
};

/** What needs the database: one fault that hides the rest is one line. */
async function examineDatabase(config: Config, database: Database): Promise<readonly Finding[]> {
  const state = await inspectPostgres(database, config.databaseUrl);
  if ('status' in state) return [state, skipRest];
  const schema = await runCheck(checkSchema(database));
  const isUsable = schema.every(({ status }) => status === 'ok');
  const tables: readonly Check[] = [...checkDeliveries(database), checkErasures(database, config)];

  return [...assessPostgres(state), ...schema, ...(isUsable ? await runChecks(tables) : [skipRest])];
}

async function examine(config: Config): Promise<readonly Finding[]> {
  const database = createDatabase(config.databaseUrl, 'doctor');
  const silent = createLogger({ level: 'silent', process: 'ops' });

  const [stored, outside] = await Promise.all([
    examineDatabase(config, database),
    runChecks([
      checkRedis(config.redisUrl),
      checkMail(config, silent),
      checkCrm(config),
      checkErasuresFolder(config),
      checkBackup(config),
      ...checkDisk(config),
    ]),
  ]);
  // Not waited for: a server that hangs would hold it up.
  void database.destroy();

  return [...stored, ...outside];
}

/** All findings; wrong settings are one each, and nothing else can be looked at then. */
async function collectFindings(): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;

    return error.faults.map((detail) => ({ check: 'settings', status: 'fail', detail: `${detail}.` }));
  }

  return [
    { check: 'settings', status: 'ok', detail: 'All can be used.' },
    ...(await examine(config)),
  ];
}

async function examineAll({ json }: { readonly json?: true }): Promise<void> {
  const findings = await collectFindings();
  const failures = findings.filter(({ status }) => status === 'fail').length;
  if (failures > 0) process.exitCode = 1;
  if (json) return say(toJson({ ok: failures === 0, findings }, 2));

  for (const { check, status, detail } of findings) {
    say(`${status.padEnd(4)}  ${check.padEnd(20)}  ${makeSafe(detail)}`);
  }
  say(failures === 0 ? '\nNo fault was found.' : `\n${failures} ${failures === 1 ? 'fault' : 'faults'}.`);
}

/** `doctor` */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('look whether everything is set up and works; one line each')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExits with 1 when a line says fail.\n\nExample:\n  ops doctor')
    .action(examineAll);
}
