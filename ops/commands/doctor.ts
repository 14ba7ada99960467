import type { Command } from 'commander';
import { ConfigError, loadConfig, type Config } from '../../shared/node/config/config.ts';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { runCheck, runChecks, type Check, type CheckResult } from '../../shared/node/monitoring/check.ts';
import { escapeControls, print, toJson } from '../cli/terminal.ts';
import { checkBackup } from '../doctor/check-backup.ts';
import { checkCrm } from '../doctor/check-crm.ts';
import { checkDeliveries } from '../doctor/check-deliveries.ts';
import { checkDisk, checkErasuresFolder } from '../doctor/check-disk.ts';
import { checkErasureLog } from '../doctor/check-erasure-log.ts';
import { checkMail } from '../doctor/check-mail.ts';
import { assessPostgres, checkSchema, inspectPostgres } from '../doctor/check-postgres.ts';
import { checkRedis } from '../doctor/check-redis.ts';

const skippedRest: CheckResult = {
  check: 'deliveries',
  state: 'skip',
  detail: 'Neither these nor anything else in the database was checked.',
};

const isUsable = (results: readonly CheckResult[]) => results.every(({ state }) => state === 'ok');

/** Checks what needs the database; a failure that hides the rest is the only one reported. */
async function checkDatabase(config: Config, database: Database): Promise<readonly CheckResult[]> {
  const server = await inspectPostgres(database, config.databaseUrl);
  if ('check' in server) return [server, skippedRest];
  const schema = await runCheck(checkSchema(database));
  const tables: readonly Check[] = [...checkDeliveries(database), checkErasureLog(database, config)];

  return [...assessPostgres(server), ...schema, ...(isUsable(schema) ? await runChecks(tables) : [skippedRest])];
}

async function checkEverything(config: Config): Promise<readonly CheckResult[]> {
  const database = createDatabase(config.databaseUrl, 'doctor');
  const silent = createLogger({ level: 'silent', process: 'ops' });

  const [inDatabase, others] = await Promise.all([
    checkDatabase(config, database),
    runChecks([
      checkRedis(config.redisUrl),
      checkMail(config, silent),
      checkCrm(config),
      checkErasuresFolder(config),
      checkBackup(config),
      ...checkDisk(config),
    ]),
  ]);
  // Not awaited: a server that hangs would delay it.
  void database.destroy();

  return [...inDatabase, ...others];
}

/** All results; each invalid setting is one, and nothing else can be checked then. */
async function runDoctor(): Promise<readonly CheckResult[]> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;

    return error.errors.map((detail) => ({ check: 'settings', state: 'fail', detail: `${detail}.` }));
  }

  return [
    { check: 'settings', state: 'ok', detail: 'All are valid.' },
    ...(await checkEverything(config)),
  ];
}

/** The released names of a result's fields in the JSON output. */
const toFinding = ({ check, state, detail }: CheckResult) => ({ check, status: state, detail });

async function printResults({ json }: { readonly json?: true }): Promise<void> {
  const results = await runDoctor();
  const failures = results.filter(({ state }) => state === 'fail').length;
  if (failures > 0) process.exitCode = 1;
  if (json) return print(toJson({ ok: failures === 0, findings: results.map(toFinding) }, 2));

  for (const { check, state, detail } of results) {
    print(`${state.padEnd(4)}  ${check.padEnd(20)}  ${escapeControls(detail)}`);
  }
  print(failures === 0 ? '\nNo check failed.' : `\n${failures} ${failures === 1 ? 'check' : 'checks'} failed.`);
}

/** `doctor` */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check whether everything is set up and works; one line each')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExits with 1 when a line says fail.\n\nExample:\n  ops doctor')
    .action(printResults);
}
