import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../shared/node/config/config.ts';
import type { Database } from '../shared/node/database/database.ts';
import { readSchemaState, type SchemaState } from '../shared/node/database/schema.ts';
import { readHold } from '../shared/node/deliveries/delivery-hold.ts';
import { pauseUntilProviderIsSet, resumeKindsAfterStart } from '../shared/node/deliveries/delivery-pauses.ts';
import { inspectErasureLog } from '../shared/node/erasure/erasure-log.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { Second } from '../shared/time.ts';

const schemaMessages: Readonly<Record<Exclude<SchemaState, 'current'>, string>> = {
  behind: 'Waiting for the database migrations.',
  'too-new': 'The schema is more than one step newer than this worker, so the worker does nothing.',
};

/** Waits for the database and its schema. Raises an alert about the schema every `alertAfter` milliseconds. */
async function waitForSchema(database: Database, logger: Logger, alertAfter: number, signal: AbortSignal): Promise<void> {
  let reported: SchemaState | 'unreachable' | undefined;
  let alertAt = 0;

  for (; ; await wait(1 * Second, undefined, { signal })) {
    const state = await readSchemaState(database).catch((error: unknown) => {
      // The worker's database check raises the alert.
      if (reported !== 'unreachable') logger.warn({ err: error }, 'Waiting for the database.');

      return 'unreachable' as const;
    });
    if (state === 'current') return;
    if (state !== 'unreachable' && reported !== state) {
      logger.warn({ schema: state }, schemaMessages[state]);
      alertAt = performance.now() + alertAfter;
    } else if (state !== 'unreachable' && performance.now() >= alertAt) {
      logger.error({ schema: state, alert: 'schema-mismatch' }, schemaMessages[state]);
      alertAt = performance.now() + alertAfter;
    }
    reported = state;
  }
}

/** Logs if deliveries are on hold or mails go to files, because an operator may have forgotten either. */
async function reportUnsentMail(config: Config, database: Database, logger: Logger): Promise<void> {
  if (!config.mail.smtpUrl) {
    logger.warn('SMTP_URL is not set. Mails are written as files into MAIL_DIR, not sent.');
  }
  const hold = await readHold(database);
  if (!hold) return;
  const { status: erasureLog } = await inspectErasureLog(database, config);
  logger.error(
    { ...hold, erasureLog, alert: 'deliveries-held' },
    'Nothing is sent until an operator runs: ops deliveries release.',
  );
}

/** Waits for the database and its schema, reports unsent mail, and updates the pauses that depend on settings. */
export async function prepareStart(
  config: Config,
  database: Database,
  logger: Logger,
  alertAfter: number,
  signal: AbortSignal,
): Promise<void> {
  await waitForSchema(database, logger, alertAfter, signal);
  await reportUnsentMail(config, database, logger);
  await database.transaction(async (transaction) => {
    await resumeKindsAfterStart(transaction);
    if (config.crm.provider === 'none') await pauseUntilProviderIsSet(transaction, 'crm-export');
  });
}
