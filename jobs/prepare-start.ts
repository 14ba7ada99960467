import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../shared/node/config/config.ts';
import type { Database } from '../shared/node/database/database.ts';
import { readSchemaState, type SchemaState } from '../shared/node/database/schema.ts';
import { readHold } from '../shared/node/deliveries/delivery-hold.ts';
import { awaitProvider, resumeKindsAfterStart } from '../shared/node/deliveries/delivery-pauses.ts';
import { inspectErasureLog } from '../shared/node/erasure/erasure-log.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { Second } from '../shared/time.ts';

const schemaMessages: Readonly<Record<Exclude<SchemaState, 'current'>, string>> = {
  behind: 'Waiting for the migrations of the database.',
  'too-new': 'The database is of a version more than one step newer: this worker does nothing.',
};

/** Logs once what is waited for, and raises an alert each time it has lasted `alertAfter` milliseconds more. */
function createWaitReport(logger: Logger, alertAfter: number) {
  let reported: SchemaState | 'unreachable' | undefined;
  let nextAlertAt = 0;

  return {
    isUnreachable: (error: unknown) => {
      // How long it lasts, the database check of the worker reports.
      if (reported !== 'unreachable') logger.warn({ err: error }, 'Waiting for the database.');
      reported = 'unreachable';
    },
    isUnfit: (state: keyof typeof schemaMessages) => {
      const now = performance.now();
      if (reported === state && now < nextAlertAt) return;
      if (reported === state) logger.error({ schema: state, alert: 'schema-mismatch' }, schemaMessages[state]);
      else logger.warn({ schema: state }, schemaMessages[state]);
      reported = state;
      nextAlertAt = now + alertAfter;
    },
  };
}

async function waitForSchema(database: Database, logger: Logger, alertAfter: number, signal: AbortSignal): Promise<void> {
  for (const report = createWaitReport(logger, alertAfter); ; await wait(1 * Second, undefined, { signal })) {
    try {
      const state = await readSchemaState(database);
      if (state === 'current') return;
      report.isUnfit(state);
    } catch (error) {
      report.isUnreachable(error);
    }
  }
}

/** Reports when nothing will be sent, or no mail: an operator may have forgotten it. */
async function reportWhatIsNotSent(config: Config, database: Database, logger: Logger): Promise<void> {
  if (!config.mail.smtpUrl) {
    logger.warn('SMTP_URL is not set: mails are not sent, they are written as files into MAIL_DIR.');
  }
  const hold = await readHold(database);
  if (!hold) return;
  const { status: erasureLog } = await inspectErasureLog(database, config);
  logger.error(
    { ...hold, erasureLog, alert: 'deliveries-held' },
    'Nothing is sent until an operator releases it: ops deliveries release.',
  );
}

/** Updates the pauses that follow from the settings, in one transaction. */
async function updatePauses({ crm }: Config, database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await resumeKindsAfterStart(transaction);
    if (crm.provider === 'none') await awaitProvider(transaction, 'crm-export');
  });
}

/** Prepares everything a worker needs; a schema of another version is an alert after `alertAfter` milliseconds. */
export async function prepareStart(
  config: Config,
  database: Database,
  logger: Logger,
  alertAfter: number,
  signal: AbortSignal,
): Promise<void> {
  await waitForSchema(database, logger, alertAfter, signal);
  await reportWhatIsNotSent(config, database, logger);
  await updatePauses(config, database);
}
