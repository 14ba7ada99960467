import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../shared/node/config/config.ts';
import type { Database } from '../shared/node/database/database.ts';
import { readSchemaState, type SchemaState } from '../shared/node/database/schema.ts';
import { readHold } from '../shared/node/deliveries/delivery-hold.ts';
import { awaitProvider, resumeQueuesAfterStart } from '../shared/node/deliveries/delivery-pauses.ts';
import { inspectErasureLog } from '../shared/node/erasure/erasure-log.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { Second } from '../shared/time.ts';

const schemaMessages: Readonly<Record<Exclude<SchemaState, 'current'>, string>> = {
  behind: 'Waiting for the migrations of the database.',
  'too-new': 'The database is of a version more than one step newer: this worker does nothing.',
};

/** Waits for PostgreSQL and for its migrations, as long as it takes or until the signal is aborted. */
async function waitForSchema(database: Database, logger: Logger, signal: AbortSignal): Promise<void> {
  for (let isReported = false; ; isReported = true) {
    try {
      const state = await readSchemaState(database);
      if (state === 'current') return;
      if (!isReported) logger.warn({ schema: state }, schemaMessages[state]);
    } catch (error) {
      if (!isReported) logger.warn({ err: error }, 'Waiting for the database.');
    }
    await wait(1 * Second, undefined, { signal });
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

/** Ends and begins the pauses that follow from the settings, which may differ from those of the last start. */
async function updatePauses({ crm }: Config, database: Database): Promise<void> {
  await resumeQueuesAfterStart(database);
  if (crm.provider === 'none') await awaitProvider(database, 'crm-export');
}

/**
 * What has to be right before a worker sends anything; waits for PostgreSQL as long as it takes.
 * @throws the signal's reason when it is aborted meanwhile
 */
export async function prepareStart(
  config: Config,
  database: Database,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  await waitForSchema(database, logger, signal);
  await reportWhatIsNotSent(config, database, logger);
  await updatePauses(config, database);
}
