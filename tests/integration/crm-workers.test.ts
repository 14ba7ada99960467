import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createCrmExportHandler } from '../../jobs/crm-export/export-to-crm.ts';
import { mapKinds } from '../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import type { CrmSettings } from '../../shared/node/config/crm-settings.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { callCrm } from '../support/crm/call-crm.ts';
import { openClient } from '../support/crm/crm-export.ts';
import { startFirewall } from '../support/crm/firewall.ts';
import { startFakeHubspot } from '../support/crm/fake-hubspot.ts';
import { startFakeOdoo } from '../support/crm/fake-odoo.ts';
import { startFakePipedrive } from '../support/crm/fake-pipedrive.ts';
import { startFakeSalesforce } from '../support/crm/fake-salesforce.ts';
import { startWebhookReceiver } from '../support/crm/webhook-receiver.ts';
import { runJob, unobserved } from '../support/delivery-job.ts';
import { storeDelivery, storeSubmission } from '../support/ops-fixture.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

/** A worker's means of exporting: its own pool, client and provider. */
function startExporter(crm: CrmSettings) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const never = () => Promise.reject(new Error('Not a mail.'));
  const services = {
    ...unobserved,
    database,
    handlers: {
      ...mapKinds(() => never),
      'crm-export': createCrmExportHandler(database, crm, openClient()),
    },
    timings: productionTimings,
    logger: createLogger({ level: 'silent', process: 'test' }),
  };

  return (deliveryId: string) => runJob(services, { deliveryId });
}

/** A request whose export is due. */
async function storeExport(changes: Record<string, unknown> = {}) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const submissionId = await storeSubmission(database, changes);
  const id = await storeDelivery(database, submissionId, { kind: 'crm-export', stage: null });
  const read = () => database('deliveries').where({ id }).first();
  const makeReady = async () => {
    await database('delivery_pauses').delete();
    await database('deliveries').where({ id }).update({ state: 'pending', retry_at: null });
  };

  return { id, read, makeReady };
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
    ['organization', { company: randomUUID() }, { email: 'other@example.org' }, [1, 2]],
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

  test('that export one new campaign to Odoo at once make one', async () => {
    const odoo = await startFakeOdoo();
    onTestFinished(() => odoo.close());
    const { url, apiKey, database } = odoo;
    const settings = { provider: 'odoo', url, apiKey, database, login: undefined } as const;
    const source = { utm_campaign: 'autumn' };
    const [first, second] = [await storeExport({ source }), await storeExport({ source })];
    const slow = { kind: 'slow', ms: 400, on: /utm\.campaign\/search_read/ } as const;
    odoo.faults.push(slow, slow);

    await Promise.all([startExporter(settings)(first.id), startExporter(settings)(second.id)]);

    expect(odoo.campaigns).toMatchObject([{ name: 'autumn' }]);
    expect(odoo.leads).toMatchObject([{ campaign_id: 1 }, { campaign_id: 1 }]);
  });
});

/** The note's response while the token may not write notes. */
const forbidden = (on: RegExp) => ({ on, kind: 'response', status: 403 }) as const;

describe('what an earlier try made', () => {
  test('counts for nothing in another account of Pipedrive', async () => {
    const [sandbox, production] = [await openPipedrive(), await openPipedrive()];
    const { id, read, makeReady } = await storeExport();
    // The sandbox's ids belong to other records here.
    await startExporter(production.settings)((await storeExport({ email: 'x@example.org' })).id);
    sandbox.pipedrive.faults.push(forbidden(/^POST .*\/leads/));

    await startExporter(sandbox.settings)(id);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'pipedrive-403' });
    await makeReady();
    await startExporter(production.settings)(id);

    expect(await read()).toMatchObject({ state: 'sent' });
    expect(production.pipedrive.persons).toHaveLength(2);
    expect(production.pipedrive.leads.map(({ person_id: person }) => person)).toEqual([1, 2]);
  });

  test('counts for nothing in another account of HubSpot', async () => {
    const [sandbox, production] = [await startFakeHubspot(), await startFakeHubspot()];
    onTestFinished(async () => {
      await sandbox.close();
      await production.close();
    });
    const { id, read, makeReady } = await storeExport();
    sandbox.faults.push(forbidden(/notes$/));
    const makeSettings = ({ url, token }: typeof sandbox) =>
      ({ provider: 'hubspot', baseUrl: url, token }) as const;

    await startExporter(makeSettings(sandbox))(id);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'hubspot-403' });
    await makeReady();
    await startExporter(makeSettings(production))(id);

    expect(await read()).toMatchObject({ state: 'sent' });
    expect(production.notes).toHaveLength(1);
  });

  test('is created again when sales has deleted it', async () => {
    const { pipedrive, settings } = await openPipedrive();
    const { id, read, makeReady } = await storeExport();
    const exportOne = startExporter(settings);
    pipedrive.faults.push({ on: /^POST .*\/leads/, kind: 'response', status: 500 });
    await exportOne(id);
    pipedrive.deletePerson(1);

    await makeReady();
    await exportOne(id);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'pipedrive-404' });
    await makeReady();
    await exportOne(id);

    expect(await read()).toMatchObject({ state: 'sent' });
    expect(pipedrive.leads).toMatchObject([{ person_id: pipedrive.persons[0]?.id }]);
  });

  test('is created again when sales has deleted it, also where only its id finds it', async () => {
    const hubspot = await startFakeHubspot();
    onTestFinished(() => hubspot.close());
    const { id, read, makeReady } = await storeExport({ email: 'ada@firma.con' });
    const exportOne = startExporter({ provider: 'hubspot', baseUrl: hubspot.url, token: hubspot.token });
    hubspot.faults.push({ on: /^POST .*\/notes/, kind: 'response', status: 500 });
    await exportOne(id);
    const [contact] = hubspot.contacts.keys();
    const headers = { authorization: `Bearer ${hubspot.token}` };
    await callCrm('POST', `${hubspot.url}/crm/objects/2026-03/contacts/gdpr-delete`, headers, { objectId: contact });

    await makeReady();
    await exportOne(id);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'hubspot-404-OBJECT_NOT_FOUND' });
    await makeReady();
    await exportOne(id);

    expect(await read()).toMatchObject({ state: 'sent' });
    expect(hubspot.notes).toMatchObject([{ contactId: [...hubspot.contacts.keys()][0] }]);
  });

  test('is not created again after a refusal, also by a new token', async () => {
    const { pipedrive, settings } = await openPipedrive();
    const { id, read, makeReady } = await storeExport();
    pipedrive.faults.push(forbidden(/^POST .*\/notes/));
    await startExporter(settings)(id);

    await makeReady();
    // Other settings for the same account, as a new token is.
    const baseUrl = settings.baseUrl.replace('http:', 'HTTP:');
    await startExporter({ ...settings, baseUrl })(id);

    expect(await read()).toMatchObject({ state: 'sent', attempts: 2 });
    expect([pipedrive.persons, pipedrive.leads, pipedrive.notes].map(({ length }) => length)).toEqual(
      [1, 1, 1],
    );
  });

  test('is searched for once: a lead that is refused for itself ends dead', async () => {
    const { pipedrive, settings } = await openPipedrive();
    const { id, read, makeReady } = await storeExport();
    const exportOne = startExporter(settings);
    for (const status of [500, 400, 400]) {
      pipedrive.faults.push({ on: /^POST .*\/leads/, kind: 'response', status });
    }

    for (const state of ['pending', 'pending', 'dead']) {
      await exportOne(id);
      expect(await read()).toMatchObject({ state });
      if (state === 'pending') await makeReady();
    }
  });
});

describe('a setting that the CRM answers with 404', () => {
  const misconfigure = {
    hubspot: async () => {
      const crm = await startFakeHubspot();

      return { crm, settings: { provider: 'hubspot', baseUrl: `${crm.url}/wrong`, token: crm.token } as const };
    },
    pipedrive: async () => {
      const crm = await startFakePipedrive();

      return { crm, settings: { provider: 'pipedrive', baseUrl: `${crm.url}/wrong`, token: crm.token } as const };
    },
    salesforce: async () => {
      const crm = await startFakeSalesforce();
      const { url: loginUrl, clientId, clientSecret } = crm;
      const login = { loginUrl, clientId, clientSecret };

      return { crm, settings: { provider: 'salesforce', ...login, externalIdField: 'Misspelt__c' } as const };
    },
  };

  test.each(['hubspot', 'pipedrive', 'salesforce'] as const)('pauses all exports, and kills none (%s)', async (name) => {
    const { crm, settings } = await misconfigure[name]();
    onTestFinished(() => crm.close());
    const { id, read } = await storeExport();
    const database = openDatabase(databaseUrl, onTestFinished);

    await startExporter(settings)(id);

    expect(await read()).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await database('delivery_pauses')).toMatchObject([{ kind: 'crm-export', ends_with_restart: true }]);
    await database('delivery_pauses').delete();
  });
});

describe('a message that a firewall before the CRM refuses', () => {
  const WORD = 'drop table';
  const makeSettings = {
    webhook: async () => {
      const receiver = await startWebhookReceiver();
      onTestFinished(() => receiver.close());
      const countLeads = () => receiver.received.filter(({ type }) => type === 'lead.created').length;
      const countChecks = () => receiver.requests.filter(({ body }) => body.includes('endpoint.test')).length;
      const configure = (url: string) => ({ provider: 'webhook', url, secret: receiver.secret }) as const;

      return { url: receiver.url, configure, countLeads, countChecks };
    },
    hubspot: async () => {
      const hubspot = await startFakeHubspot();
      onTestFinished(() => hubspot.close());
      const countChecks = () => hubspot.requests.filter(({ path }) => path.includes('/properties/')).length;
      const configure = (baseUrl: string) => ({ provider: 'hubspot', baseUrl, token: hubspot.token }) as const;

      return { url: hubspot.url, configure, countLeads: () => hubspot.notes.length, countChecks };
    },
  };

  test.each(['webhook', 'hubspot'] as const)('delays that lead only (%s)', async (name) => {
    const { url, configure, countLeads, countChecks } = await makeSettings[name]();
    const firewall = await startFirewall(url, WORD);
    onTestFinished(() => firewall.close());
    const exportOne = startExporter(configure(firewall.url));
    const database = openDatabase(databaseUrl, onTestFinished);
    const makeRefused = () => storeExport({ message: `Robert'); ${WORD} students` });

    for (let lead = 1; lead <= 3; lead += 1) {
      const refused = await makeRefused();
      const other = await storeExport({ email: `${randomUUID()}@example.org` });
      await exportOne(refused.id);
      await exportOne(other.id);

      expect(await refused.read()).toMatchObject({ state: 'pending', attempts: 1, last_error: `${name}-403` });
      expect(await other.read()).toMatchObject({ state: 'sent' });
      expect(await database('delivery_pauses')).toEqual([]);
      expect(countLeads()).toBe(lead);
    }
    // However many are refused, the CRM is checked only once per interval.
    expect(countChecks()).toBe(1);

    const hopeless = await makeRefused();
    await database('deliveries')
      .where({ id: hopeless.id })
      .update({ attempts: 9, due_at: database.raw("now() - interval '73 hours'") });
    await exportOne(hopeless.id);
    expect(await hopeless.read()).toMatchObject({ state: 'dead', last_error: `${name}-403` });
  });

  test.each(['webhook', 'hubspot'] as const)('pauses all exports when the CRM refuses the site (%s)', async (name) => {
    const { url, configure } = await makeSettings[name]();
    const firewall = await startFirewall(url, WORD);
    onTestFinished(() => firewall.close());
    firewall.refuseAll(true);
    const database = openDatabase(databaseUrl, onTestFinished);
    const { id, read, makeReady } = await storeExport();
    const exportOne = startExporter(configure(firewall.url));

    await exportOne(id);
    expect(await read()).toMatchObject({ state: 'pending', attempts: 0, last_error: `${name}-403` });
    expect(await database('delivery_pauses')).toMatchObject([{ kind: 'crm-export', ends_with_restart: true }]);
    firewall.refuseAll(false);
    await makeReady();
    await exportOne(id);

    expect(await read()).toMatchObject({ state: 'sent' });
  });

  const LIMITS = [
    ['webhook', 429],
    ['webhook', 503],
    ['hubspot', 429],
  ] as const;
  const startLimit = async (name: 'webhook' | 'hubspot', status: number) => {
    const crm = await makeSettings[name]();
    const firewall = await startFirewall(crm.url, WORD, { status, headers: { 'retry-after': '21600' } });
    onTestFinished(() => firewall.close());

    return { ...crm, firewall, exportOne: startExporter(crm.configure(firewall.url)) };
  };

  test.each(LIMITS)('and asks to wait is the only one that waits (%s, %i)', async (name, status) => {
    const { countLeads, countChecks, exportOne } = await startLimit(name, status);
    const database = openDatabase(databaseUrl, onTestFinished);

    for (let lead = 1; lead <= 2; lead += 1) {
      const limited = await storeExport({ message: WORD });
      const other = await storeExport({ email: `${randomUUID()}@example.org` });
      const result = await exportOne(limited.id);
      await exportOne(other.id);

      expect(await limited.read()).toMatchObject({ state: 'pending', attempts: 1, last_error: `${name}-${status}` });
      expect(await database('deliveries').where({ id: limited.id }).whereRaw("retry_at > now() + interval '5 hours 59 minutes'")).toHaveLength(1);
      expect(result?.retryInMs).toBeGreaterThanOrEqual(21_600_000);
      expect(await other.read()).toMatchObject({ state: 'sent' });
      expect(await database('delivery_pauses')).toEqual([]);
      expect(countLeads()).toBe(lead);
    }
    expect(countChecks()).toBe(1);
  });

  test.each(LIMITS)('pauses all exports while the CRM asks the site to wait (%s, %i)', async (name, status) => {
    const { firewall, exportOne } = await startLimit(name, status);
    const database = openDatabase(databaseUrl, onTestFinished);
    const { id, read, makeReady } = await storeExport();

    firewall.refuseAll(true);
    await exportOne(id);

    expect(await read()).toMatchObject({ state: 'pending', attempts: 1, last_error: `${name}-${status}` });
    expect(await database('delivery_pauses')).toMatchObject([{ kind: 'crm-export', ends_with_restart: false }]);
    firewall.refuseAll(false);
    await makeReady();
    await exportOne(id);
    expect(await read()).toMatchObject({ state: 'sent' });
  });
});
