import { describe, expect, test } from 'vitest';
import {
  cancelForRefusedAddress,
  loadSubmission,
  makeHandOver,
} from '../../../jobs/deliveries/delivery-handler.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { claim, database, read, setUpDatabase, store } from '../delivery-store/fixture.ts';

setUpDatabase();

describe('a handler', () => {
  test.each([
    ['erased', { anonymised_at: new Date() }, 'erased'],
    ['quarantined', { quarantined_at: new Date() }, 'quarantined'],
    ['open', { company: 'Acme' }, undefined],
  ])('cancels a delivery only if its request was erased or quarantined after the claim: %s', async (_what, values, reason) => {
    const submission = await storeSubmission(database);
    const claimed = await claim(await storeDelivery(database, submission));
    await database('contact_submissions').where({ id: submission }).update(values);
    const readReason = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: unknown) => (error instanceof DeliveryError && error.result === 'cancelled' ? error.reason : error),
      );

    expect(await readReason(loadSubmission(database, claimed))).toBe(reason);
    expect(await readReason(loadSubmission(database, { ...claimed, submissionId: null }))).toBe('erased');
  });

  test('cancels a delivery if its address is refused permanently or for the fourth time', async () => {
    const claimed = await claim(await store());
    const cause = new Error('550');
    const isCancelled = (result: 'dead' | 'retry', isRecipientRefused: boolean, attempts: number) => {
      const error = new DeliveryError(result, 'smtp-550', { isRecipientRefused, cause });
      const outcome = cancelForRefusedAddress(error, { ...claimed, attempts });
      if (outcome !== error) expect(outcome).toMatchObject({ result: 'cancelled', reason: 'smtp-550', cause });

      return outcome !== error;
    };

    expect([1, 3, 4, 9].map((attempts) => isCancelled('retry', true, attempts))).toEqual([false, false, true, true]);
    expect([1, 4].map((attempts) => isCancelled('retry', false, attempts))).toEqual([false, false]);
    expect(isCancelled('dead', true, 1)).toBe(true);
    expect(isCancelled('dead', false, 1)).toBe(false);
  });

  test('hands a mail over only after it has recorded the hand-over', async () => {
    const claimed = await claim(await store());
    await makeHandOver(database, claimed)();
    expect((await read(claimed.id))?.handed_over_at).toBeInstanceOf(Date);

    const lost = { ...claimed, leaseToken: crypto.randomUUID() };
    await expect(makeHandOver(database, lost)()).rejects.toMatchObject({ result: 'unwanted' });
    await makeHandOver(database, lost, () => Promise.resolve(true))();
  });
});
