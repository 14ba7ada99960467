import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { eraseSubject } from '../../shared/node/erasure/erase-subject.ts';
import { applyErasures } from '../../shared/node/erasure/apply-erasures.ts';
import { runChecks, withAdvice } from '../../shared/node/monitoring/check.ts';
import { databaseChecks } from '../../shared/node/monitoring/delivery-checks.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { holdDeliveries, releaseDeliveries } from '../../shared/node/deliveries/delivery-hold.ts';
import { makeErasureKeys } from '../../shared/node/erasure/erasure-store.ts';
import { Hour } from '../../shared/time.ts';
import { setUpOps, storeSubmission } from '../support/ops-fixture.ts';

async function setUpList() {
  const { database, settings } = await setUpOps();
  const config = loadConfig(settings);
  const file = join(settings['ERASURES_DIR'] ?? '', 'erasures.ndjson');
  const checks = databaseChecks.filter(({ name }) => name === 'erasures');
  const doctor = () => runChecks(checks.map((check) => withAdvice(check, { database, config }))).then(([result]) => result);

  return { database, config, file, doctor, keep: () => applyErasures(database, config) };
}

test('the erasure log is started empty where there is none yet, which is not a loss; the doctor distinguishes both', async () => {
  const { database, file, doctor, keep } = await setUpList();
  expect(await doctor()).toMatchObject({ state: 'info', detail: expect.stringContaining('There is no erasure log yet') });

  expect(await keep()).toMatchObject({ wasLogLost: false });
  const [list] = await database('erasure_list');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ erasure_list: list?.id });
  expect(await doctor()).toMatchObject({ state: 'ok', detail: expect.stringContaining('is empty') });
  const before = await readFile(file, 'utf8');
  await keep();
  expect(await readFile(file, 'utf8')).toBe(before);

  await rm(file);
  expect(await doctor()).toMatchObject({ state: 'warn', detail: expect.stringContaining('is missing') });
});

test('the erasure log is recreated from the database when it was lost without a restore', async () => {
  const { database, config, file, doctor, keep } = await setUpList();
  await keep();
  await eraseSubject(database, config, { email: 'ada@example.org' });
  const before = await readFile(file, 'utf8');
  await rm(file);

  expect(await keep()).toMatchObject({ wasLogLost: true });
  const lines = (text: string) => text.split('\n').filter(Boolean).sort();
  expect(lines(await readFile(file, 'utf8'))).toEqual(lines(before));
  expect(await doctor()).toMatchObject({ state: 'ok', detail: '1 on record.' });
  await writeFile(file, before.replace(/^.*subject_hash.*$/m, ''));
  expect(await doctor()).toMatchObject({ state: 'warn', detail: expect.stringContaining('lacks 1 of 1') });
});

test('an erasure before the first start of a worker is recorded in a log without a first line, and holds on', async () => {
  const { database, config, file, doctor, keep } = await setUpList();
  const id = await storeSubmission(database, { received_at: new Date(Date.now() - Hour) });
  const [key] = makeErasureKeys(config.linkSecrets);
  const old = {
    ...{ subject_hash: key?.hash('email', 'ada@example.org'), subject_kind: 'email', key_id: key?.id },
    erased_at: new Date(),
  };
  await mkdir(dirname(file));
  await writeFile(file, `\n${JSON.stringify(old)}\n`);

  expect(await keep()).toEqual({ submissions: 1, subscriptions: 0, wasLogLost: false });
  expect(await database('contact_submissions').where({ id }).first()).toMatchObject({ name: 'erased' });
  expect(await readFile(file, 'utf8')).toMatch(/subject_hash.*\n.*erasure_list/s);
  expect(await doctor()).toMatchObject({ state: 'ok', detail: '1 on record.' });
});

test('an erasure log with a line that can’t be read is damaged, a torn last one included; all other lines count', async () => {
  const { database, config, file, doctor, keep } = await setUpList();
  await keep();
  await eraseSubject(database, config, { email: 'ada@example.org' });
  await eraseSubject(database, config, { email: 'bob@example.org' });
  const whole = await readFile(file, 'utf8');
  await database('erasures').delete();
  await holdDeliveries(database, new Date());
  const damages = [
    whole.replace('"subject_hash"', '"subject_hasg"'),
    whole.replace('"erasure_list"', '"erasure_lisu"'),
    whole.slice(0, -20),
    '\0'.repeat(200),
  ];

  for (const damaged of damages) {
    await writeFile(file, damaged);
    expect(await doctor()).toMatchObject({ state: 'fail', detail: expect.stringContaining('damaged: 1 of its lines can\'t be read') });
    await keep();
    expect(await readFile(file, 'utf8')).toBe(damaged);
  }
  // From the first three together: none of them lacks both.
  expect(await database('erasures')).toHaveLength(2);
  await writeFile(file, whole.replaceAll('\n', '\r\n'));
  expect(await doctor()).toMatchObject({ state: 'ok' });

  await releaseDeliveries(database);
  await writeFile(file, whole.slice(0, -20));
  await keep();
  expect(await doctor()).toMatchObject({ state: 'warn', detail: expect.stringMatching(/damaged.*move the file away/) });
  await rm(file);
  await keep();
  expect(await doctor()).toMatchObject({ state: 'ok', detail: '2 on record.' });
});

test('the erasure log of another installation is not used during a hold, and not written to', async () => {
  const { database, config, file, doctor, keep } = await setUpList();
  await keep();
  const own = await readFile(file, 'utf8');
  await eraseSubject(database, config, { email: 'ada@example.org' });
  const others = (await readFile(file, 'utf8')).replace(/"erasure_list":"[^"]*"/, `"erasure_list":"${randomUUID()}"`);
  await database('erasures').delete();
  await writeFile(file, others);
  await holdDeliveries(database, new Date());

  await keep();
  expect(await database('erasures')).toEqual([]);
  expect(await readFile(file, 'utf8')).toBe(others);
  expect(await doctor()).toMatchObject({ state: 'fail', detail: expect.stringContaining('another installation') });
  await writeFile(file, own);
  expect(await doctor()).toMatchObject({ state: 'ok' });
});

test('while deliveries are on hold, a database without a log trusts none; its erasures are used all the same', async () => {
  const { database, config, file, doctor, keep } = await setUpList();
  await holdDeliveries(database);
  const missing = { state: 'fail', detail: expect.stringContaining('is missing') };
  expect(await doctor()).toMatchObject(missing);
  // A file created now could pass for the log.
  expect(await eraseSubject(database, config, { email: 'ada@example.org' })).toMatchObject({ isFiled: false });
  expect(await doctor()).toMatchObject(missing);

  const header = JSON.stringify({ erasure_list: randomUUID() });
  const others = { state: 'fail', detail: expect.stringContaining('another installation') };
  await mkdir(dirname(file));
  await writeFile(file, `\n${header}\n`);
  expect(await doctor()).toMatchObject(others);
  const bob = {
    ...{ subject_hash: 'b'.repeat(64), subject_kind: 'email', erased_at: new Date() },
    key_id: makeErasureKeys(config.linkSecrets)[0]?.id,
  };
  await writeFile(file, `\n${header}\n${JSON.stringify(bob)}\n`);
  expect(await doctor()).toMatchObject(others);
  await keep();
  expect(await database('erasures').where({ subject_hash: bob.subject_hash })).toHaveLength(1);
  expect(await doctor()).toMatchObject(others);

  // A list without a header is compared by its entries.
  await writeFile(file, `\n${JSON.stringify(bob)}\n`);
  expect(await doctor()).toMatchObject({ state: 'ok' });
});
