import { samples } from '#content/samples';
import { describeSamples } from '../../shared/content/samples.ts';
import { type Config, ConfigError, loadConfig } from '../../shared/node/config/config.ts';
import { SAMPLE_NAME, type Environment } from '../../shared/node/config/settings.ts';
import {
  pass,
  type Check,
  fail,
  runCheck,
  runChecks,
  warn,
  withAdvice,
  type CheckOutcome,
  type CheckResult,
} from '../../shared/node/monitoring/check.ts';
import type { Command } from 'commander';
import { formatCount } from '../../shared/format-count.ts';
import { hasSettingsFile, listRemoved, listUnknown } from '../../shared/node/config/known-names.ts';
import { checkTimeouts, createDatabase, type Database } from '../../shared/node/database/database.ts';
import { alerts } from '../../shared/node/logging/alert-list.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { databaseChecks } from '../../shared/node/monitoring/delivery-checks.ts';
import { installationChecks } from '../../shared/node/monitoring/installation-checks.ts';
import { tryForm } from '../../shared/node/monitoring/try-form.ts';
import { ReportedError, type CommandContext } from '../cli/session.ts';
import { formatCheck, toJson, type Terminal } from '../cli/terminal.ts';
import { checkCrm } from '../doctor/check-crm.ts';
import { checkMail } from '../doctor/check-mail.ts';
import { assessPostgres, checkSchema, inspectPostgres } from '../doctor/check-postgres.ts';
import { checkReceivers } from '../doctor/check-receivers.ts';
import { checkSender } from '../doctor/check-sender.ts';
import { checkRehearsalRole, checkRepository } from '../doctor/check-repository.ts';

const sampleNames = {
  SITE_NAME: ({ site }: Config) => site.name === SAMPLE_NAME,
  LEGAL_ENTITY: ({ site }: Config) => site.legalEntity === SAMPLE_NAME,
  LEGAL_EMAIL: ({ site }: Config) => site.legalEmail.endsWith('@example.com'),
};

const checkSamples = (config: Config): Check => ({
  name: 'sample copy',
  run: async () => {
    const names = Object.entries(sampleNames).flatMap(([name, isSample]) => (isSample(config) ? [name] : []));
    const left = [...names, ...describeSamples(samples)];

    return left.length === 0
      ? pass('No sample copy is left.')
      : { state: 'info', detail: `Replace or remove it before the site goes live. ${left.join('; ')}.` };
  },
});

async function checkForm(config: Config): Promise<CheckOutcome> {
  const { isAccepted, detail } = await tryForm(config);

  return isAccepted ? pass(detail) : fail(`${detail} ${alerts['form-unreachable'].action}`);
}

const remainingChecksSkipped: CheckResult = {
  check: 'deliveries',
  state: 'skip',
  detail: 'Nothing else in the database was checked.',
};

const isUsable = (results: readonly CheckResult[]) => results.every(({ state }) => state === 'ok');

/** Runs the checks that need the database. Skips the rest if the server or the schema can't be used. */
async function checkDatabase(config: Config, database: Database): Promise<readonly CheckResult[]> {
  const server = await inspectPostgres(database, config.databaseUrl);
  if ('check' in server) return [server, remainingChecksSkipped];
  const schema = await runCheck(checkSchema(database));
  const tables = [
    ...databaseChecks.map((check) => withAdvice(check, { config, database })),
    checkRehearsalRole(config),
  ];

  return [...assessPostgres(server), ...schema, ...(isUsable(schema) ? await runChecks(tables) : [remainingChecksSkipped])];
}

async function checkEverything(config: Config): Promise<readonly CheckResult[]> {
  const database = createDatabase(config.databaseUrl, 'doctor', checkTimeouts);
  const silent = createLogger({ level: 'silent', process: 'ops' });

  const [inDatabase, others] = await Promise.all([
    checkDatabase(config, database),
    runChecks([
      checkMail(config, silent),
      ...(config.mail.smtpUrl ? [checkSender(config.mail.from)] : []),
      checkCrm(config),
      ...checkReceivers(config),
      ...checkRepository(config),
      checkSamples(config),
      { name: 'form now', run: () => checkForm(config) },
      ...installationChecks.map((check) => withAdvice(check, { config, database })),
    ]),
  ]);
  // Not awaited, because a hanging server would delay it.
  void database.destroy();

  return [...inDatabase, ...others];
}

const failSetting = (sentence: string): CheckResult => ({
  check: 'settings',
  ...fail(/[.?]$/.test(sentence) ? sentence : `${sentence}.`),
});

/** Returns results for removed settings, and in the stack for unknown names in `.env`. */
const checkNames = (environment: Environment | undefined): readonly CheckResult[] => [
  ...(hasSettingsFile(environment) ? listUnknown(environment).map(failSetting) : []),
  ...listRemoved(environment).map((sentence) => ({ check: 'settings', ...warn(sentence) })),
];

/** Returns all results. If any settings are invalid, returns one result for each and checks nothing else. */
async function runDoctor(environment: Environment | undefined): Promise<readonly CheckResult[]> {
  const names = checkNames(environment);
  let config: Config;
  try {
    config = loadConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;

    return [...error.errors.map(failSetting), ...names];
  }
  const settings = names.length > 0 ? names : [{ check: 'settings', ...pass('All are valid.') }];

  return [...settings, ...(await checkEverything(config))];
}

/** Returns a result with the field names of the JSON output. */
const toJsonResult = ({ check, state, detail }: CheckResult) => ({ check, status: state, detail });

interface Options {
  readonly json?: true;
}

function printResults({ print }: Terminal, results: readonly CheckResult[], failures: number): void {
  for (const result of results) print(formatCheck(result));
  print(failures === 0 ? '\nNo check failed.' : `\n${formatCount(failures, 'check')} failed.`);
}

async function diagnose({ environment, terminal }: CommandContext, { json }: Options): Promise<void> {
  const results = await runDoctor(environment);
  const failures = results.filter(({ state }) => state === 'fail').length;
  if (json) terminal.print(toJson({ ok: failures === 0, findings: results.map(toJsonResult) }, 2));
  else printResults(terminal, results, failures);
  if (failures > 0) throw new ReportedError(`${failures} failed.`);
}

/** Adds the command `doctor`. */
export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check whether everything is set up and works, one line per check')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExits with 1 if a check fails.')
    .action((options: Options) => diagnose(context, options));
}
