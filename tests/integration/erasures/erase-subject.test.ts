import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { columnNames, SUBMISSIONS } from '../../../shared/node/contact/contact-submission-store.ts';
import { holdDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import { eraseSubject, findSpellings, findStoredData } from '../../../shared/node/erasure/erase-subject.ts';
import { synchronizeErasureLog } from '../../../shared/node/erasure/erasure-log.ts';
import { listErasures, readErasureTime, recordErasures } from '../../../shared/node/erasure/erasure-store.ts';
import { Day, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { database, setUpDatabase } from '../delivery-store/fixture.ts';
import { key, listEmails, makeErasure, oldKey, oldSecret, readEmail, secret, setUp, storeSubscription } from './erasure-fixture.ts';

setUpDatabase();

describe('an erased subject’s hash', () => {
  test('stays the same in later versions, and reveals nothing without the secret', () => {
    const derived = createHmac('sha256', secret).update('erasures').digest();
    const hash = (text: string) => createHmac('sha256', derived).update(text).digest('hex');

    expect(key?.id).toBe(hash('key id').slice(0, 16));
    expect(key?.hash('email', 'ada@example.org')).toBe(hash('email ada@example.org'));
    expect(key?.hash('submission', 'x')).toBe(hash('submission x'));
  });

  test('is recorded once per subject, with the time of the latest erasure', async () => {
    const [early, late] = [ago(2 * Day), ago(Day)];
    await recordErasures(database, [makeErasure('a', { erased_at: late }), makeErasure('b', { erased_at: early })]);
    await recordErasures(database, [makeErasure('a', { erased_at: early }), makeErasure('b', { erased_at: late })]);
    expect((await listErasures(database)).map(({ erased_at: at }) => at)).toEqual([late, late]);

    await recordErasures(database, Array.from({ length: 1_001 }, (_, index) => makeErasure(`many ${index}`)));
    expect(await listErasures(database)).toHaveLength(1_003);
    await recordErasures(database, []);
    expect(await listErasures(database)).toContainEqual(makeErasure('a', { erased_at: late }));
  });
});

describe('an erasure', () => {
  test('of a person finds every spelling of the address and doesn’t affect other people', async () => {
    const { settings } = await setUp();
    const ids = [
      await storeSubmission(database, { email: 'Ada@BÜCHER.example' }),
      await storeSubmission(database, { email: 'ada@xn--bcher-kva.example' }),
    ];
    const other = await storeSubmission(database, { email: 'bob@bücher.example' });
    await storeSubscription('ada@bücher.example');
    await storeSubscription('bob@bücher.example');
    const pending = await storeDelivery(database, ids[0] ?? '');

    expect(new Set(await findSpellings(database, 'ada@bücher.example'))).toEqual(
      new Set(['ada@bücher.example', 'ada@xn--bcher-kva.example', 'Ada@BÜCHER.example']),
    );
    const result = await eraseSubject(database, settings, { email: 'ADA@xn--bcher-kva.example' });
    expect(result).toMatchObject({ submissions: 2, subscriptions: 1, isFiled: true });
    expect(result.data.submissions.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect(result.data.subscriptions).toMatchObject([{ email: 'ada@bücher.example' }]);
    for (const id of ids) expect(await readEmail(id)).toBe('erased@invalid.example');
    expect(await readEmail(other)).toBe('bob@bücher.example');
    expect(await listEmails()).toEqual(['bob@bücher.example']);
    expect(await database('deliveries').where({ id: pending }).first()).toMatchObject({ state: 'cancelled' });
  });

  test('is recorded in the file and the database with the same time and the first secret', async () => {
    const { settings, readFiled } = await setUp();
    await eraseSubject(database, { ...settings, linkSecrets: [oldSecret, secret] }, { email: 'Ada@example.org' });
    const stored = await listErasures(database);

    expect(stored).toEqual([
      { subject_hash: oldKey?.hash('email', 'ada@example.org'), subject_kind: 'email', key_id: oldKey?.id, erased_at: expect.any(Date) },
    ]);
    expect(await readFiled()).toEqual({ logIds: [], erasures: stored, damagedLines: 0 });
  });

  test('of one request keeps the other requests and the subscription', async () => {
    const { settings } = await setUp();
    const [id, other] = [await storeSubmission(database), await storeSubmission(database)];
    await storeSubscription('ada@example.org');
    expect(await findStoredData(database, { id })).toMatchObject({ submissions: [{ id }], subscriptions: [] });

    expect(await eraseSubject(database, settings, { id })).toMatchObject({ submissions: 1, subscriptions: 0 });
    expect([await readEmail(id), await readEmail(other)]).toEqual(['erased@invalid.example', 'ada@example.org']);
    expect(await listEmails()).toEqual(['ada@example.org']);
    expect(await listErasures(database)).toMatchObject([
      { subject_hash: key?.hash('submission', id), subject_kind: 'submission' },
    ]);
    // The second erasure finds no data.
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ submissions: 0 });
  });

  test('covers every column of a request, and so does the export', async () => {
    const columns = await database('information_schema.columns').where({ table_name: SUBMISSIONS }).pluck('column_name');

    expect(columnNames.toSorted()).toEqual(columns.toSorted());
  });

  test('needs a secret for its record, and erases nothing without one', async () => {
    const { settings } = await setUp();
    const id = await storeSubmission(database);

    await expect(eraseSubject(database, { ...settings, linkSecrets: [] }, { id })).rejects.toThrow('no secret');
    expect(await readEmail(id)).toBe('ada@example.org');
  });

  test('is dated just after the newest data received', async () => {
    const id = await storeSubmission(database);
    const row = await database('contact_submissions').where({ id }).first();
    const time = await readErasureTime(database);

    expect(Number(time)).toBeGreaterThan(Number(row?.received_at));
    expect(Number(time) - Number(row?.received_at)).toBeLessThan(Minute);
  });

  test('is recorded in the folder during a hold only if the folder’s log is complete', async () => {
    const { settings, readFiled } = await setUp();
    const id = await storeSubmission(database);
    await synchronizeErasureLog(database, settings);
    await holdDeliveries(database);
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ submissions: 1, isFiled: true });

    await recordErasures(database, [makeErasure('missing in the file')]);
    const before = await readFiled();
    expect(await eraseSubject(database, settings, { email: 'bob@example.org' })).toMatchObject({ isFiled: false });
    expect(await readFiled()).toEqual(before);
    await database('delivery_hold').delete();
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ isFiled: true });
  });
});
