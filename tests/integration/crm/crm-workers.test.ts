import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createCrmExportHandler } from '../../../jobs/crm-export/export-to-crm.ts';
import type { CrmSettings } from '../../../shared/node/config/settings.ts';
import { resumeKind } from '../../../shared/node/deliveries/delivery-pauses.ts';
import type { OutboundClient } from '../../../shared/node/outbound/outbound-client.ts';
import { Hour } from '../../../shared/time.ts';
import { runJob } from '../../support/delivery-job.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { setUp } from '../delivery-runner/worker-services.ts';
import { ahead, change, database, read, setUpDatabase } from '../delivery-store/fixture.ts';
import { openRecordedCrm } from './recorded-crm.ts';
import { hubspot } from './recordings/hubspot.ts';
import { pipedrive } from './recordings/pipedrive.ts';

setUpDatabase();

/** A worker with its own provider. */
function startExporter({ settings, client }: { readonly settings: CrmSettings; readonly client: OutboundClient }) {
  const { services } = setUp({ handler: createCrmExportHandler(database, settings, client) });

  return (deliveryId: string) => runJob(services, { deliveryId });
}

/** Stores a request whose export is due. Returns the export's id. */
const storeExport = async (changes: Record<string, unknown> = {}) =>
  storeDelivery(database, await storeSubmission(database, changes), { kind: 'crm-export', stage: null });

/** Resumes exports and makes the next attempt due immediately. */
async function makeReady(id: string) {
  await resumeKind(database, 'crm-export');
  await change(id, { retry_at: null });
}

const acceptsAnyLead = true;

test('two workers that export requests from the same new person create one person', async () => {
  const crm = openRecordedCrm(pipedrive, { acceptsAnyLead });
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
  const ids = [await storeExport({ ...same, company: 'One' }), await storeExport({ ...same, company: 'Other' })];

  await Promise.all(ids.map((id) => startExporter({ ...crm, client })(id)));

  expect(crm.done.filter((step) => step === 'create person')).toHaveLength(1);
  expect(crm.done.filter((step) => step === 'create lead')).toHaveLength(2);
});

describe('a record that an earlier attempt created', () => {
  test('is ignored if the site now uses another account', async () => {
    const [sandbox, production] = [openRecordedCrm(pipedrive, { acceptsAnyLead }), openRecordedCrm(pipedrive, { acceptsAnyLead, settings: { token: 'other' } })];
    const id = await storeExport();
    sandbox.answerOnce(/^POST .*\/leads/, [403]);

    await startExporter(sandbox)(id);
    expect(await read(id)).toMatchObject({ state: 'pending', last_error: 'pipedrive-403' });
    await makeReady(id);
    await startExporter(production)(id);

    expect(await read(id)).toMatchObject({ state: 'sent' });
    expect(production.done).toEqual(['create organization', 'create person', 'create lead', 'create note']);
  });

  test('is created again if sales has deleted it and it was known only by its stored id', async () => {
    const crm = openRecordedCrm(hubspot, { acceptsAnyLead });
    const id = await storeExport();
    const exportOne = startExporter(crm);
    crm.answerOnce(/\/notes$/, [403]);
    await exportOne(id);
    crm.state.delete('contact');
    crm.answerOnce(/\/notes$/, [404, { category: 'OBJECT_NOT_FOUND' }]);

    await makeReady(id);
    await exportOne(id);
    expect(await read(id)).toMatchObject({ state: 'pending', last_error: 'hubspot-404-OBJECT_NOT_FOUND' });
    await makeReady(id);
    await exportOne(id);

    expect(await read(id)).toMatchObject({ state: 'sent' });
    expect(crm.done).toEqual(['create contact', 'create contact', 'create note']);
  });

  test('is looked up again after the first refusal, and a second refusal makes the delivery dead', async () => {
    const crm = openRecordedCrm(pipedrive, { acceptsAnyLead });
    const id = await storeExport();
    const exportOne = startExporter(crm);
    for (const status of [500, 400, 400]) crm.answerOnce(/^POST .*\/leads/, [status]);

    for (const state of ['pending', 'pending', 'dead']) {
      await exportOne(id);
      expect(await read(id)).toMatchObject({ state });
      if (state === 'pending') await makeReady(id);
    }
  });
});

/** Starts a firewall in front of HubSpot that blocks requests that contain certain words, or all requests. */
function startFirewall(status: number) {
  const crm = openRecordedCrm(hubspot, { acceptsAnyLead });
  let blocksAll = false;
  const refusal = { status, header: (name: string) => (name === 'retry-after' ? '21600' : undefined), text: '<h1>Blocked</h1>', isTruncated: false };
  const client: OutboundClient = {
    ...crm.client,
    call: async (request) => (blocksAll || request.body?.includes('drop table') ? refusal : crm.client.call(request)),
  };

  return {
    exportOne: startExporter({ ...crm, client }),
    countLeads: () => crm.done.filter((step) => step === 'create note').length,
    countChecks: () => crm.requests.filter(({ call }) => call.includes('/properties/')).length,
    blockAll: (isOn: boolean) => {
      blocksAll = isOn;
    },
  };
}

describe('a lead that a firewall in front of the CRM blocks', () => {
  test.each([403, 429, 503])('is retried later and doesn’t delay other leads (%i)', async (status) => {
    const { exportOne, countLeads, countChecks } = startFirewall(status);

    for (let lead = 1; lead <= 2; lead += 1) {
      const refused = await storeExport({ message: 'Robert’); drop table students' });
      const other = await storeExport({ email: `ada${lead}@example.org` });
      await exportOne(refused);
      await exportOne(other);

      const row = await read(refused);
      expect(row).toMatchObject({ state: 'pending', attempts: 1, last_error: `hubspot-${status}` });
      expect(Number(row?.retry_at) > Number(ahead(5.9 * Hour))).toBe(status !== 403);
      expect(await read(other)).toMatchObject({ state: 'sent' });
      expect(await database('delivery_pauses')).toEqual([]);
      expect(countLeads()).toBe(lead);
    }
    // The test call is made once per interval, even if several exports are refused.
    expect(countChecks()).toBe(1);
  });

  test.each([
    [401, 0, true],
    [403, 0, true],
    [429, 1, false],
  ])('pauses all exports if the CRM also refuses a test call (%i)', async (status, attempts, isRefusal) => {
    const { exportOne, blockAll } = startFirewall(status);
    const id = await storeExport();

    blockAll(true);
    await exportOne(id);

    expect(await read(id)).toMatchObject({ state: 'pending', attempts, last_error: `hubspot-${status}` });
    expect(await database('delivery_pauses')).toMatchObject([{ kind: 'crm-export', ends_with_restart: isRefusal }]);
    blockAll(false);
    await makeReady(id);
    await exportOne(id);
    expect(await read(id)).toMatchObject({ state: 'sent' });
  });
});
