import { expect } from 'vitest';
import { endAbsence, setAbsence } from '../../../shared/node/follow-up/sales-rotation.ts';
import { holdDeliveries, releaseDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import { listPauses, resumeKind } from '../../../shared/node/deliveries/delivery-pauses.ts';
import { requeueDeliveries } from '../../../shared/node/deliveries/delivery-store.ts';
import { applyErasures } from '../../../shared/node/erasure/apply-erasures.ts';
import { inspectErasureLog, synchronizeErasureLog } from '../../../shared/node/erasure/erasure-log.ts';
import { eraseSubject } from '../../../shared/node/erasure/erase-subject.ts';
import { Day } from '../../../shared/time.ts';
import { makeCommand, type Command } from './command.ts';
import { crashWorkers, trackOutcomes, pick, type World } from './world.ts';

/*
 * Operator and clock commands. They run an `ops` command's steps in order, without its output.
 */

/** Sets PostgreSQL's clock, or lets time pass. */
export const stepClock = (ms: number): Command =>
  makeCommand({
    call: `stepClock(${ms})`,
    check: () => true,
    run: async (world) => {
      await world.site.stepClock(ms);
      world.wasClockSetBack ||= ms < 0;
    },
  });

/** `ops deliveries hold` */
export const hold = (): Command =>
  makeCommand({
    call: 'hold()',
    check: ({ stored }) => stored.hold === null,
    run: async ({ site, history, holds }) => {
      await holdDeliveries(site.database);
      holds.push({ from: history.next(), to: Infinity });
    },
  });

/** `ops deliveries release --yes` */
export async function endHold({ site, history, holds }: World): Promise<void> {
  const { database, config } = site;
  expect(await inspectErasureLog(database, config)).toMatchObject({ status: 'complete' });
  await applyErasures(database, config);
  const last = holds.pop();
  if (last) holds.push({ ...last, to: history.next() });
  await releaseDeliveries(database);
  await synchronizeErasureLog(database, config);
}

export const releaseHold = (): Command =>
  makeCommand({ call: 'releaseHold()', check: ({ stored }) => stored.hold !== null, run: endHold });

/** `ops deliveries retry --dead` */
export async function requeueDead({ site, history, countedSince }: World): Promise<void> {
  const requeued = await requeueDeliveries(site.database, { kind: undefined });
  for (const { id } of requeued) countedSince.set(id, history.next());
  for (const { kind } of await listPauses(site.database)) {
    if (requeued.some((delivery) => delivery.kind === kind)) await resumeKind(site.database, kind);
  }
}

export const retryDead = (): Command =>
  makeCommand({
    call: 'retryDead()',
    check: ({ stored }) => stored.deliveries.some(({ state }) => state === 'dead'),
    run: requeueDead,
  });

const pickPerson = ({ site }: World, person: number) => pick(site.config.mail.sales, person);

const isRotated = ({ assignment }: Readonly<World>) => assignment === 'rotate';

/** `ops sales away ADDRESS --until TOMORROW` */
export const goAway = (person: number): Command =>
  makeCommand({
    call: `goAway(${person})`,
    check: isRotated,
    run: (world) => {
      // The model shifts stored times and leaves the real clock alone.
      const tomorrow = new Date(Date.now() + 1 * Day).toISOString().slice(0, 10);

      return setAbsence(world.site.database, pickPerson(world, person), tomorrow, 'UTC');
    },
  });

/** `ops sales back ADDRESS` */
export const comeBack = (person: number): Command =>
  makeCommand({
    call: `comeBack(${person})`,
    check: isRotated,
    run: (world) => endAbsence(world.site.database, pickPerson(world, person)),
  });

/** `ops submissions erase ID --yes` */
export const eraseRequest = (number: number): Command =>
  makeCommand({
    call: `eraseRequest(${number})`,
    check: ({ accepted }) => accepted.length > 0,
    run: async (world) => {
      const { site, history, erasures } = world;
      const { id } = pick(world.accepted, number);
      await eraseSubject(site.database, site.config, { id });
      erasures.set(id, erasures.get(id) ?? history.next());
    },
  });

/** `ops submissions erase --email ADDRESS --yes` */
export const erasePerson = (person: number): Command =>
  makeCommand({
    call: `erasePerson(${person})`,
    check: ({ accepted }) => accepted.some((request) => request.person === person),
    run: async ({ site, history, accepted, erasures, erasedPeople }) => {
      await eraseSubject(site.database, site.config, { email: `person-${person}@example.org` });
      erasedPeople.set(person, site.readTime());
      for (const { id } of accepted.filter((request) => request.person === person)) {
        erasures.set(id, erasures.get(id) ?? history.next());
      }
    },
  });

/** `ops backup` */
export const backUp = (): Command =>
  makeCommand({
    call: 'backUp()',
    check: ({ accepted }) => accepted.length > 0,
    run: async (world) => {
      const { site, accepted } = world;
      await synchronizeErasureLog(site.database, site.config);
      world.backup = { dump: await site.dump(), accepted };
    },
  });

/** `ops restore` after all programs were stopped */
export const restore = (): Command =>
  makeCommand({
    call: 'restore()',
    check: ({ backup, wasClockSetBack }) => backup !== undefined && !wasClockSetBack,
    run: async (world) => {
      const { site, history, holds, countedSince, backup } = world;
      if (!backup) throw new Error('There is no backup.');
      await crashWorkers(world);
      await site.restore(backup.dump);
      world.accepted = backup.accepted;
      trackOutcomes(world);
      const now = history.next();
      world.restoredAt = now;
      if (holds.at(-1)?.to !== Infinity) holds.push({ from: now, to: Infinity });
      for (const { id } of (await site.readStored()).deliveries) countedSince.set(id, now);
    },
  });
