import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { setTimeout as wait } from 'node:timers/promises';
import { createCrmExportHandler } from '../../../jobs/crm-export/export-to-crm.ts';
import { mapKinds } from '../../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import type { CrmSettings } from '../../../shared/node/config/settings.ts';
import { createLogger } from '../../../shared/node/logging/logger.ts';
import type { OutboundClient } from '../../../shared/node/outbound/outbound-client.ts';
import { createMigratedDatabase, openDatabase } from '../../support/database.ts';
import { openRecordedCrm } from './recorded-crm.ts';
import { runJob, unobserved } from '../../support/delivery-job.ts';
import { storeDelivery, storeSubmission } from '../../support/ops-fixture.ts';
import { hubspot } from './recordings/hubspot.ts';
import { pipedrive } from './recordings/pipedrive.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

interface Exporter {
  readonly settings: CrmSettings;
  readonly client: OutboundClient;
}

/** A worker's own pool and provider. */
function startExporter({ settings, client }: Exporter) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const never = () => Promise.reject(new Error('Not a mail.'));
  const services = {
    ...unobserved,
    database,
    handlers: { ...mapKinds(() => never), 'crm-export': createCrmExportHandler(database, settings, client) },
    timings: productionTimings,
    logger: createLogger({ level: 'silent', process: 'test' }),
  };

  return (deliveryId: string) => runJob(services, { deliveryId });
}

/** Stores a request whose export is due. */
async function storeExport(changes: Record<string, unknown> = {}) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const submissionId = await storeSubmission(database, changes);
  const id = await storeDelivery(database, submissionId, { kind: 'crm-export', stage: null });
  const read = () => database('deliveries').where({ id }).first();
  const readPauses = () => database('delivery_pauses');
  const makeReady = async () => {
    await database('delivery_pauses').delete();
    await database('deliveries').where({ id }).update({ state: 'pending', retry_at: null });
  };
  onTestFinished(makeReady);

  return { id, read, readPauses, makeReady, database };
}

const isForAnyLead = true;

test('two workers that export one new person at once create one', async () => {
  const crm = openRecordedCrm(pipedrive, { isForAnyLead });
  const client: OutboundClient = {
    ...crm.client,
    call: async (request) => {
      const response = await crm.client.call(request);
      // Without a lock, both workers would search before either creates the person.
      if (request.url.includes('/persons/search')) await wait(400);

      return response;
    },
  };
  const same = { email: 'ada@example.org' };
  const [first, second] = [await storeExport({ ...same, company: 'One' }), await storeExport({ ...same, company: 'Other' })];

  await Promise.all([first, second].map(({ id }) => startExporter({ ...crm, client })(id)));

  expect(crm.done.filter((step) => step === 'create person')).toHaveLength(1);
  expect(crm.done.filter((step) => step === 'create lead')).toHaveLength(2);
});

describe('a record that an earlier attempt created', () => {
  test('is ignored in another account', async () => {
    const [sandbox, production] = [openRecordedCrm(pipedrive, { isForAnyLead }), openRecordedCrm(pipedrive, { isForAnyLead, settings: { token: 'other' } })];
    const { id, read, makeReady } = await storeExport();
    sandbox.answerOnce(/^POST .*\/leads/, [403]);

    await startExporter(sandbox)(id);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'pipedrive-403' });
    await makeReady();
    await startExporter(production)(id);

    expect(await read()).toMatchObject({ state: 'sent' });
    expect(production.done).toEqual(['create organization', 'create person', 'create lead', 'create note']);
  });

  test('is created again if sales has deleted it, even if only its recorded id finds it', async () => {
    const crm = openRecordedCrm(hubspot, { isForAnyLead });
    const { id, read, makeReady } = await storeExport();
    const exportOne = startExporter(crm);
    crm.answerOnce(/\/notes$/, [403]);
    await exportOne(id);
    crm.state.delete('contact');
    crm.answerOnce(/\/notes$/, [404, { category: 'OBJECT_NOT_FOUND' }]);

    await makeReady();
    await exportOne(id);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'hubspot-404-OBJECT_NOT_FOUND' });
    await makeReady();
    await exportOne(id);

    expect(await read()).toMatchObject({ state: 'sent' });
    expect(crm.done).toEqual(['create contact', 'create contact', 'create note']);
  });

  test('is searched for once, and the delivery is dead if the CRM refuses the lead again', async () => {
    const crm = openRecordedCrm(pipedrive, { isForAnyLead });
    const { id, read, makeReady } = await storeExport();
    const exportOne = startExporter(crm);
    for (const status of [500, 400, 400]) crm.answerOnce(/^POST .*\/leads/, [status]);

    for (const state of ['pending', 'pending', 'dead']) {
      await exportOne(id);
      expect(await read()).toMatchObject({ state });
      if (state === 'pending') await makeReady();
    }
  });
});

/** A firewall in front of HubSpot that refuses a word of a message, or everything. */
function startFirewall(status: number) {
  const crm = openRecordedCrm(hubspot, { isForAnyLead });
  let refusesAll = false;
  const refusal = { status, header: (name: string) => (name === 'retry-after' ? '21600' : undefined), text: '<h1>Blocked</h1>', isTruncated: false };
  const client: OutboundClient = {
    ...crm.client,
    call: async (request) => (refusesAll || request.body?.includes('drop table') ? refusal : crm.client.call(request)),
  };

  return {
    exportOne: startExporter({ ...crm, client }),
    countLeads: () => crm.done.filter((step) => step === 'create note').length,
    countChecks: () => crm.requests.filter(({ call }) => call.includes('/properties/')).length,
    refuseAll: (isOn: boolean) => {
      refusesAll = isOn;
    },
  };
}

describe('a message that a firewall in front of the CRM refuses', () => {
  test.each([403, 429, 503])('delays only that lead (%i)', async (status) => {
    const { exportOne, countLeads, countChecks } = startFirewall(status);

    for (let lead = 1; lead <= 2; lead += 1) {
      const refused = await storeExport({ message: 'Robert’); drop table students' });
      const other = await storeExport({ email: `ada${lead}@example.org` });
      await exportOne(refused.id);
      await exportOne(other.id);

      expect(await refused.read()).toMatchObject({ state: 'pending', attempts: 1, last_error: `hubspot-${status}` });
      const late = refused.database('deliveries').where({ id: refused.id }).whereRaw("retry_at > now() + interval '5 hours 59 minutes'");
      expect(await late).toHaveLength(status === 403 ? 0 : 1);
      expect(await other.read()).toMatchObject({ state: 'sent' });
      expect(await other.readPauses()).toEqual([]);
      expect(countLeads()).toBe(lead);
    }
    // The CRM is checked once per interval, even if more exports are refused.
    expect(countChecks()).toBe(1);
  });

  test.each([
    [401, 0, true],
    [403, 0, true],
    [429, 1, false],
  ])('pauses all exports while the CRM answers the site so, too (%i)', async (status, attempts, isRefusal) => {
    const { exportOne, refuseAll } = startFirewall(status);
    const { id, read, readPauses, makeReady } = await storeExport();

    refuseAll(true);
    await exportOne(id);

    expect(await read()).toMatchObject({ state: 'pending', attempts, last_error: `hubspot-${status}` });
    expect(await readPauses()).toMatchObject([{ kind: 'crm-export', ends_with_restart: isRefusal }]);
    refuseAll(false);
    await makeReady();
    await exportOne(id);
    expect(await read()).toMatchObject({ state: 'sent' });
  });
});
