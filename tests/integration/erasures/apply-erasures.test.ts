import { describe, expect, test } from 'vitest';
import { applyErasures } from '../../../shared/node/erasure/apply-erasures.ts';
import { appendToErasureLogFile } from '../../../shared/node/erasure/erasure-log.ts';
import { listErasures, recordErasures } from '../../../shared/node/erasure/erasure-store.ts';
import { holdDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import { Hour } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeSubmission } from '../../support/stored-requests.ts';
import { database, setUpDatabase } from '../delivery-store/fixture.ts';
import { listEmails, makeErasure, oldKey, oldSecret, readEmail, secret, setUp, storeSubscription } from './erasure-fixture.ts';

setUpDatabase();

describe('an erased person’s data in a restored backup', () => {
  test('is erased again from the logs in the database and in the folder, and later data stays', async () => {
    const { settings, directory } = await setUp();
    const before = { received_at: ago(2 * Hour) };
    const ada = await storeSubmission(database, { ...before, email: 'Ada@Example.ORG' });
    const bob = await storeSubmission(database, { ...before, email: 'bob@xn--bcher-kva.example' });
    const request = await storeSubmission(database, { ...before, email: 'carl@example.org' });
    const later = await storeSubmission(database, { email: 'ada@example.org' });
    const other = await storeSubmission(database, { ...before, email: 'dora@example.org' });
    await storeSubscription('ada@example.org', { created_at: ago(2 * Hour) });
    await storeSubscription('bob@bücher.example', { created_at: ago(3 * Hour), confirmed_at: ago(2 * Hour) });
    await storeSubscription('dora@example.org', { created_at: ago(2 * Hour) });
    await recordErasures(database, [makeErasure('ada@example.org'), makeErasure(request, { subject_kind: 'submission' })]);
    await appendToErasureLogFile(directory, { logIds: [], erasures: [makeErasure('bob@xn--bcher-kva.example')] });

    expect(await applyErasures(database, settings)).toEqual({ submissions: 3, subscriptions: 2, wasLogLost: false });
    for (const id of [ada, bob, request]) expect(await readEmail(id)).toBe('erased@invalid.example');
    expect([await readEmail(later), await readEmail(other)]).toEqual(['ada@example.org', 'dora@example.org']);
    expect(await listEmails()).toEqual(['dora@example.org']);
    expect(await listErasures(database)).toHaveLength(3);
    expect(await applyErasures(database, settings)).toEqual({ submissions: 0, subscriptions: 0, wasLogLost: false });
  });

  test('is also erased again during a hold, and neither log changes', async () => {
    const { settings, directory, readFiled } = await setUp();
    const id = await storeSubmission(database, { received_at: ago(2 * Hour) });
    await appendToErasureLogFile(directory, { logIds: [], erasures: [makeErasure('ada@example.org')] });
    const before = await readFiled();
    await holdDeliveries(database, new Date());

    expect(await applyErasures(database, settings)).toMatchObject({ submissions: 1 });
    expect(await readEmail(id)).toBe('erased@invalid.example');
    expect([await readFiled(), await listErasures(database)]).toEqual([before, []]);
  });

  test('stays if it arrived after that person’s erasure, even if another person was erased later', async () => {
    const { settings } = await setUp();
    const ada = await storeSubmission(database, { received_at: ago(2 * Hour) });
    const bob = await storeSubmission(database, { received_at: ago(2 * Hour), email: 'bob@example.org' });
    await recordErasures(database, [makeErasure('ada@example.org', { erased_at: ago(3 * Hour) })]);
    await recordErasures(database, [makeErasure('bob@example.org')]);

    expect(await applyErasures(database, settings)).toMatchObject({ submissions: 1 });
    expect([await readEmail(ada), await readEmail(bob)]).toEqual(['ada@example.org', 'erased@invalid.example']);
  });

  test('is found with an old secret as long as the settings contain that secret', async () => {
    const { settings } = await setUp();
    const id = await storeSubmission(database, { received_at: ago(2 * Hour) });
    await recordErasures(database, [makeErasure('ada@example.org', {}, oldKey), makeErasure('x', { erased_at: ago(9 * Hour) })]);

    expect(await applyErasures(database, settings)).toMatchObject({ submissions: 0 });
    expect(await applyErasures(database, { ...settings, linkSecrets: [secret, oldSecret] })).toMatchObject({ submissions: 1 });
    expect(await readEmail(id)).toBe('erased@invalid.example');
  });

  test('stays if the search is stopped before finding it', async () => {
    const { settings } = await setUp();
    const id = await storeSubmission(database, { received_at: ago(2 * Hour) });
    await storeSubscription('ada@example.org', { created_at: ago(2 * Hour) });
    await recordErasures(database, [makeErasure('ada@example.org')]);
    const stop = AbortSignal.abort(new Error('The worker ends.'));

    await expect(applyErasures(database, settings, stop)).rejects.toThrow('The worker ends.');
    expect(await readEmail(id)).toBe('ada@example.org');
    await database('contact_submissions').delete();
    await expect(applyErasures(database, settings, stop)).rejects.toThrow('The worker ends.');
    expect(await listEmails()).toEqual(['ada@example.org']);
  });
});
