import { describe, expect, test } from 'vitest';
import { makeDelivery } from './crm-export.ts';
import { openRecordedCrm, type Exchange } from './recorded-crm.ts';
import { makeSampleLead } from './sample-lead.ts';
import { espocrm } from './recordings/espocrm.ts';
import { hubspot } from './recordings/hubspot.ts';
import { odoo, odooRpc } from './recordings/odoo.ts';
import { pipedrive } from './recordings/pipedrive.ts';
import { salesforce } from './recordings/salesforce.ts';
import { twenty } from './recordings/twenty.ts';

const recordings = { espocrm, hubspot, odoo, 'odoo over JSON-RPC': odooRpc, pipedrive, salesforce, twenty };
const vendors = Object.entries(recordings);
const withFillable = vendors.filter(([, { fillable }]) => fillable !== undefined);

/** Lists the requests that create a new lead's records, in order. A new lead in EspoCRM needs no note. */
const listCreations = (exchanges: readonly Exchange[]) =>
  exchanges.filter(({ effect, record }) => effect === 'create' && (record !== 'note' || exchanges !== espocrm.exchanges));
const name = ({ effect, record }: Exchange) => `${effect} ${record}`;

/** Every request that creates a record, for every CRM. */
const creations = vendors.flatMap(([vendor, recording]) =>
  listCreations(recording.exchanges).map((one) => [vendor, one.record, recording, one] as const),
);

describe.each(vendors)('an export to %s', (_vendor, recording) => {
  const created = listCreations(recording.exchanges).map(name);

  test('creates each record once, with its fields, and never sends the key in a URL', async () => {
    const { provider, done, requests } = openRecordedCrm(recording);

    expect(await makeDelivery({ provider }).tryExport(1)).toBe(recording.id);

    expect(done).toEqual(created);
    expect(requests.filter(({ call }) => call.includes(recording.secret))).toEqual([]);
  });

  test('creates nothing twice if the worker was killed before it recorded anything', async () => {
    const { provider, done } = openRecordedCrm(recording);
    const { tryExport, steps } = makeDelivery({ provider });
    await tryExport(1);
    steps.clear();

    expect(await tryExport(2)).toBe(recording.id);

    expect(done).toEqual(created);
  });

  test.each([
    [401, {}, 'paused', undefined],
    [403, {}, 'paused', undefined],
    [402, {}, 'paused', undefined],
    [410, {}, 'paused', undefined],
    [409, {}, 'retry', undefined],
    [429, { 'retry-after': '7' }, 'retry', 7_000],
    [503, { 'retry-after': '7' }, 'retry', 7_000],
    [500, {}, 'retry', undefined],
  ])('classifies %i', async (status, headers, result, kindWaitsMs) => {
    const { provider, answerOnce } = openRecordedCrm(recording);
    // Odoo's campaign source is optional, so its refusal doesn't fail the export.
    const isLead = recording.settings.provider !== 'odoo' || /crm\.lead|jsonrpc/;
    answerOnce(isLead === true ? /oauth2|./ : isLead, [status, 'Ada Lovelace <ada@example.org>', headers]);

    const failure = await makeDelivery({ provider }, makeSampleLead({ source: {} })).failExport(1);

    expect(failure).toMatchObject({ result, kindWaitsMs });
    expect(failure.reason).toMatch(new RegExp(`^${recording.settings.provider}(-login)?-${status}`));
  });

  test('is retried after a malformed response', async () => {
    const { provider, answerOnce } = openRecordedCrm(recording);
    answerOnce(/./, [200, '<html>']);

    const failure = await makeDelivery({ provider }).failExport(1);

    expect(failure).toMatchObject({ result: 'retry', reason: expect.stringMatching(/-malformed-response$/) as string });
  });
});

describe.each(creations)('in %s, if the %s', (_vendor, _record, recording, creation) => {
  const created = listCreations(recording.exchanges).map(name);

  test.each([
    ['was created and the response was lost', true],
    ['was refused with a server error', false],
  ])('%s, the next attempt doesn’t create a second one', async (_what, isDone) => {
    const { provider, done, answerOnce } = openRecordedCrm(recording);
    const { tryExport, failExport } = makeDelivery({ provider });
    answerOnce(creation, [502, '<html>'], isDone);

    expect(await failExport(1)).toMatchObject({ result: 'retry', reason: `${recording.settings.provider}-502` });
    expect(await tryExport(2)).toBe(recording.id);

    expect(done).toEqual(created);
  });
});

describe.each(withFillable)('a record that somebody else created in %s', (_vendor, recording) => {
  const { fillable = '' } = recording;

  test.each([
    ['is not changed if all its fields have values', 'full', false],
    ['has its empty fields filled, and keeps its other values', 'bare', true],
  ] as const)('%s', async (_what, state, isFilled) => {
    const { provider, done } = openRecordedCrm(recording, { known: { [fillable]: state } });

    expect(await makeDelivery({ provider }).tryExport(1)).toBe(recording.id);

    expect(done).not.toContain(`create ${fillable}`);
    expect(done.includes(`fill ${fillable}`)).toBe(isFilled);
    expect(done).toContain('create note');
  });
});

describe.each(vendors)('the connection test for %s', (_vendor, recording) => {
  const { signal } = new AbortController();

  test('finds no error, writes nothing, and never sends the key in a URL', async () => {
    const { provider, done, requests } = openRecordedCrm(recording);

    const results = await provider.test(signal);

    expect(results.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(results.map(({ check }) => check)).toEqual(recording.checks);
    expect(JSON.stringify(results)).not.toMatch(/-secret|!token/);
    expect(done).toEqual([]);
    expect(requests.filter(({ call }) => call.includes(recording.secret))).toEqual([]);
  });

  test.each([
    [401, 'isRefusal'],
    [402, 'isRefusal'],
    [403, 'isRefusal'],
    [404, 'isRefusal'],
    [410, 'isRefusal'],
    [429, 'isLimit'],
    [503, 'isLimit'],
    [502, undefined],
  ])('explains %i', async (status, obstacle) => {
    const { provider, answerOnce } = openRecordedCrm(recording);
    // Odoo reports its version without a key.
    answerOnce(recording.settings.provider === 'odoo' ? /crm\.lead|jsonrpc/ : /./, [status]);

    const result = (await provider.test(signal)).at(-1);

    expect(result).toMatchObject({ state: 'fail', detail: expect.stringMatching(/[.?]$/) as string });
    if (status !== 404) expect(result?.detail).toContain(String(status));
    if (obstacle !== undefined && result?.check !== 'version') expect(result).toMatchObject({ [obstacle]: true });
  });

  test('reports a wrong URL if the response is a web page', async () => {
    const { provider, answerOnce } = openRecordedCrm(recording);
    answerOnce(/./, [200, '<html>']);

    expect((await provider.test(signal)).at(-1)).toMatchObject({ state: 'fail', detail: expect.stringMatching(/_(URL)\b/) as string });
  });
});
