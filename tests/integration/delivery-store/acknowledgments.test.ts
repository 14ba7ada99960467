import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  wasHandedOver,
  recordAcknowledgmentHandOver,
  wasAcknowledged,
} from '../../../shared/node/deliveries/leased-delivery.ts';
import { Hour } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { change, claim, database, setUpDatabase } from './fixture.ts';

setUpDatabase();

test('the search for an earlier acknowledgment covers 24 hours and all spellings of an address, and ignores the delivery itself', async () => {
  const submission = await storeSubmission(database, { email: 'Ada@BÜCHER.example' });
  const id = await storeDelivery(database, submission, {
    ...{ kind: 'acknowledgment', stage: null, state: 'sent', handed_over_at: ago(23 * Hour) },
  });
  const isKnown = (email: string, own: string = randomUUID()) => wasAcknowledged(database, { id: own }, email);

  expect(await isKnown('ada@xn--bcher-kva.example')).toBe(true);
  expect(await isKnown('ada@xn--bcher-kva.example', id)).toBe(false);
  expect(await isKnown('bob@xn--bcher-kva.example')).toBe(false);
  await change(id, { handed_over_at: ago(25 * Hour) });
  expect(await isKnown('ada@xn--bcher-kva.example')).toBe(false);
  await change(id, { handed_over_at: ago(Hour), kind: 'chat' });
  expect(await isKnown('ada@xn--bcher-kva.example')).toBe(false);
});

test('only one of several acknowledgments to an address is handed over, however the address is spelled', async () => {
  const acknowledgment = { kind: 'acknowledgment', stage: null } as const;
  const claims: Array<Awaited<ReturnType<typeof claim>>> = [];
  for (const email of ['ada@bücher.example', 'Ada+1@xn--bcher-kva.example', 'bob@bücher.example']) {
    claims.push(await claim(await storeDelivery(database, await storeSubmission(database, { email }), acknowledgment)));
  }
  const [first, second, other] = claims;
  if (!first || !second || !other) throw new Error('A claim is missing.');
  const handOvers = await Promise.allSettled([
    recordAcknowledgmentHandOver(database, first, 'ada@bücher.example'),
    recordAcknowledgmentHandOver(database, second, 'Ada+1@xn--bcher-kva.example'),
  ]);

  expect(handOvers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await recordAcknowledgmentHandOver(database, other, 'bob@bücher.example')).toBe(true);
  expect(await Promise.all(claims.map((claimed) => wasHandedOver(database, claimed)))).toEqual([
    ...handOvers.map(({ status }) => status === 'fulfilled'),
    true,
  ]);
});
