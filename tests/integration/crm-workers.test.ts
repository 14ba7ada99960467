import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createCrmProvider, makeCrmExportEffect } from '../../jobs/crm-export/export-to-crm.ts';
import { runDelivery } from '../../jobs/deliveries/run-delivery.ts';
import { productionTimings } from '../../jobs/timings.ts';
import type { CrmSettings } from '../../shared/node/config/crm-settings.ts';
import { createLogger } from '../../shared/node/logger.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { openClient } from '../support/crm/crm-export.ts';
import { startFakePipedrive } from '../support/crm/fake-pipedrive.ts';
import { storeDelivery, storeSubmission } from '../support/ops-bench.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

/** A worker's way of exporting: its own pool, client and provider. */
function startExporter(crm: CrmSettings) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const never = () => Promise.reject(new Error('Not a mail.'));
  const services = {
    database,
    effects: {
      'crm-export': makeCrmExportEffect(database, createCrmProvider(crm, openClient())),
      'follow-up': never,
      newsletter: never,
    },
    timings: productionTimings,
    logger: createLogger({ level: 'silent', process: 'test' }),
  };

  return (deliveryId: string) => runDelivery(services, { deliveryId });
}

/** A request whose export is due. */
async function storeExport(changes: Record<string, unknown> = {}) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const submissionId = await storeSubmission(database, changes);
  const id = await storeDelivery(database, submissionId, { kind: 'crm-export', stage: null });
  const read = () => database('deliveries').where({ id }).first();

  return { id, read, database };
}

async function openPipedrive() {
  const pipedrive = await startFakePipedrive();
  onTestFinished(() => pipedrive.close());
  const settings = { provider: 'pipedrive', baseUrl: pipedrive.url, token: pipedrive.token } as const;

  return { pipedrive, settings };
}

describe('two workers', () => {
  test.each([
    ['person', { email: `${randomUUID()}@example.org` }, { company: 'Other' }, [2, 1]],
    ['organisation', { company: randomUUID() }, { email: 'other@example.org' }, [1, 2]],
  ])('that export one new %s at once make one', async (_what, same, other, made) => {
    const { pipedrive, settings } = await openPipedrive();
    const [first, second] = [await storeExport(same), await storeExport({ ...other, ...same })];
    // Long enough for both to have searched before either creates, were there no turns.
    const slow = { kind: 'slow', ms: 400 } as const;
    const on = 'email' in same ? /GET .*persons\/search/ : /GET .*organizations\/search/;
    pipedrive.faults.push({ ...slow, on }, { ...slow, on });

    await Promise.all([startExporter(settings)(first.id), startExporter(settings)(second.id)]);

    expect([pipedrive.organizations.length, pipedrive.persons.length]).toEqual(made);
    expect(pipedrive.leads).toHaveLength(2);
  });
});
