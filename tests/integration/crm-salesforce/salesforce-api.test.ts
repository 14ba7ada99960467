import { describe, expect, test } from 'vitest';
import { respondWith } from '../../support/crm/crm-export.ts';
import { onLogin, onUpsert, setUp } from './salesforce-organization.ts';

describe('an export to Salesforce', () => {
  test('logs in once for many leads, and calls the instance of the login', async () => {
    const { crm, startDelivery, countLogins } = await setUp({ ownInstance: true });

    for (const id of ['first', 'second', 'third']) await startDelivery({ submission_id: id }).tryIt(1);

    expect(crm.leads).toHaveLength(3);
    expect(countLogins()).toBe(1);
    expect(crm.instanceUrl).not.toBe(crm.url);
  });

  test('renews an expired session and repeats the call', async () => {
    const { crm, startDelivery, countLogins } = await setUp();
    await startDelivery({ submission_id: 'first' }).tryIt(1);
    crm.expireTokens();

    await startDelivery({ submission_id: 'second' }).tryIt(1);

    expect(crm.leads).toHaveLength(2);
    expect(countLogins()).toBe(2);
  });

  test('renews a session only once a call', async () => {
    const { crm, startDelivery, countLogins } = await setUp();
    const over = respondWith(401, [{ errorCode: 'INVALID_SESSION_ID', message: 'Session expired' }]);
    crm.faults.push({ ...over, on: onUpsert }, { ...over, on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'paused',
      reason: 'salesforce-401-INVALID_SESSION_ID',
    });
    expect(countLogins()).toBe(2);
  });

  test('does not log in again for another 401', async () => {
    const { crm, startDelivery, countLogins } = await setUp();
    crm.faults.push({ ...respondWith(401, [{ errorCode: 'INVALID_AUTH_HEADER' }]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'paused' });
    expect(countLogins()).toBe(1);
  });

  test('is retried after a server error', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, fail } = startDelivery();
    crm.faults.push(
      { kind: 'response', status: 500, on: onLogin },
      { kind: 'response', status: 503, headers: { 'retry-after': '7' }, on: onUpsert },
    );

    expect(await fail(1)).toMatchObject({ result: 'retry', reason: 'salesforce-login-500' });
    expect(await fail(2)).toMatchObject({
      result: 'retry',
      reason: 'salesforce-503',
      kindWaitsMs: 7_000,
    });
    await tryIt(3);
    expect(crm.leads).toHaveLength(1);
  });

  test('is dead when Salesforce refuses a value', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ ...respondWith(400, [{ errorCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION' }]), on: onUpsert });

    const failure = await startDelivery().fail(1);

    expect(failure).toMatchObject({ name: 'CrmError' });
    expect(failure).toMatchObject({
      result: 'dead',
      reason: 'salesforce-400-FIELD_CUSTOM_VALIDATION_EXCEPTION',
      status: 400,
    });
  });

  test.each([
    [400, 'REQUIRED_FIELD_MISSING'],
    [400, 'STRING_TOO_LONG'],
  ])('is given up after %i %s', async (status, errorCode) => {
    const { crm, startDelivery } = await setUp();
    const fault = { message: 'Ada Lovelace <ada@example.org>', errorCode, fields: ['LastName'] };
    crm.faults.push({ ...respondWith(status, [fault]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'dead',
      reason: `salesforce-${status}-${errorCode}`,
    });
  });

  test('pauses all exports while the external id field is misspelt', async () => {
    const { crm, startDelivery, testIt } = await setUp({ keyField: 'WebLaedId__c' });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'paused', reason: 'salesforce-404-NOT_FOUND' });
    crm.faults.push({ ...respondWith(400, [{ errorCode: 'INVALID_FIELD' }]), on: onUpsert });
    expect(await startDelivery().fail(1)).toMatchObject({ result: 'paused', reason: 'salesforce-400-INVALID_FIELD' });
    expect((await testIt()).at(-1)).toMatchObject({ check: 'external id', state: 'fail', isRefusal: true });
  });

  test('pauses all exports while a field may be seen but not written', async () => {
    const { crm, startDelivery } = await setUp();
    const refused = { errorCode: 'INVALID_FIELD_FOR_INSERT_UPDATE', fields: ['Description'] };
    crm.faults.push({ ...respondWith(400, [refused]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'paused',
      reason: 'salesforce-400-INVALID_FIELD_FOR_INSERT_UPDATE',
    });
  });

  test('is retried while somebody else’s change has locked a record', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, fail } = startDelivery();
    const locked = { message: 'unable to obtain exclusive access to this record', errorCode: 'UNABLE_TO_LOCK_ROW', fields: [] };
    crm.faults.push({ ...respondWith(400, [locked]), on: onUpsert });

    expect(await fail(1)).toMatchObject({ result: 'retry', reason: 'salesforce-400-UNABLE_TO_LOCK_ROW', kindWaitsMs: undefined });
    await tryIt(2);
    expect(crm.leads).toHaveLength(1);
  });

  test('has only codes in its reason', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ ...respondWith(400, [{ errorCode: 'Ada Lovelace' }]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'dead', reason: 'salesforce-400' });
  });

  test('waits an hour when the calls of the day are used up', async () => {
    const { startDelivery } = await setUp({ rateLimit: { calls: 0, windowMs: 60_000 } });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'retry',
      reason: 'salesforce-403-REQUEST_LIMIT_EXCEEDED',
      kindWaitsMs: 3_600_000,
    });
  });

  test.each([429, 403])('waits as long as Retry-After says (%i)', async (status) => {
    const { crm, startDelivery } = await setUp();
    const fault = respondWith(status, [{ errorCode: 'REQUEST_LIMIT_EXCEEDED' }], { 'retry-after': '9' });
    crm.faults.push({ ...fault, on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 9_000 });
  });

  test('waits briefly for the limit of simultaneous calls', async () => {
    const { crm, startDelivery } = await setUp();
    const fault = { errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'ConcurrentPerOrgLongTxn Limit exceeded.' };
    crm.faults.push({ ...respondWith(403, [fault]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 30_000 });
  });

  test.each([
    ['finds the lead whose first upsert ended late', true],
    ['is dead for another unique field', false],
  ])('%s when Salesforce reports a duplicate value', async (_what, isOwn) => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, fail } = startDelivery();
    if (isOwn) await tryIt(1);
    crm.faults.push({ ...respondWith(400, [{ errorCode: 'DUPLICATE_VALUE' }]), on: onUpsert });

    if (isOwn) expect(await tryIt(1)).toEqual(expect.any(String));
    else expect(await fail(1)).toMatchObject({ result: 'dead', reason: 'salesforce-400-DUPLICATE_VALUE' });
    expect(crm.leads).toHaveLength(isOwn ? 1 : 0);
  });

  test.each([
    [{ clientId: 'wrong' }, 'salesforce-login-400-invalid_client_id'],
    [{ clientSecret: 'wrong' }, 'salesforce-login-400-invalid_client'],
    [{ path: '/wrong' }, 'salesforce-login-401'],
  ])('pauses all exports while the login is wrong (%j)', async (setting, reason) => {
    const { startDelivery } = await setUp(setting);

    const failure = await startDelivery().fail(1);

    expect(failure).toMatchObject({ name: 'CrmError' });
    expect(failure).toMatchObject({ result: 'paused', reason });
  });

  test('pauses all exports while the user may not write leads', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ ...respondWith(403, [{ errorCode: 'INSUFFICIENT_ACCESS' }]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'paused',
      reason: 'salesforce-403-INSUFFICIENT_ACCESS',
    });
  });

  test.each([
    [{ kind: 'response', status: 410, on: onUpsert }, 'paused', 'salesforce-410'],
    [{ kind: 'huge', on: onLogin }, 'retry', 'http-response-too-large'],
    [{ kind: 'redirect', to: 'http://127.0.0.1:1/', on: onLogin }, 'paused', 'http-redirect'],
    [{ kind: 'redirect', to: 'http://127.0.0.1:1/', on: onUpsert }, 'paused', 'http-redirect'],
  ] as const)('refuses a response that can’t be right (%j)', async (fault, result, reason) => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push(fault);

    expect(await startDelivery().fail(1)).toMatchObject({ result, reason });
  });

  test('refuses a login that names no instance', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push(respondWith(200, { access_token: 'token', instance_url: 'nowhere' }));

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'retry',
      reason: 'salesforce-login-malformed-response',
    });
  });

  test('does not wait for a response that never comes', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ kind: 'hang-before', on: onUpsert });

    const failure = await startDelivery().failOnce(1, 'the call', () => crm.requests.length === 2);

    expect(failure).toMatchObject({ result: 'retry', reason: 'http-timed-out' });
  });
});
