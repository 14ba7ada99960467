import { expect } from 'vitest';
import { deliveryKinds } from '../../../shared/deliveries/delivery.ts';
import { Day, Hour } from '../../../shared/time.ts';
import { findViolations } from './invariants.ts';
import { endHold, requeueDead } from './operator-commands.ts';
import type { StoredDelivery } from './site.ts';
import { createWorker } from './worker.ts';
import { runSweep } from './worker-commands.ts';
import { crashWorkers, type World } from './world.ts';

/** Processes all due deliveries of every kind, with receivers that accept everything. */
async function sendAll({ site, history, assignment }: World): Promise<void> {
  const worker = createWorker(site, history, assignment);
  for (const kind of deliveryKinds) {
    let hasMore = true;
    while (hasMore) {
      await worker.runDue(kind);
      hasMore = worker.getGate() !== undefined;
      while (worker.getGate() !== undefined) await worker.goOn('go-on');
    }
  }
}

/**
 * Ends a run without further faults: time passes, the hold is released and dead deliveries are retried. Afterwards every
 * delivery must be sent or cancelled for a reason, except for the next morning's mails.
 */
export async function settle(world: World): Promise<void> {
  await crashWorkers(world);
  await world.site.stepClock(1 * Day + 7 * Hour);
  await runSweep(world);
  if (world.stored.hold) await endHold(world);
  await requeueDead(world);
  // Pauses and the hold have ended by now.
  world.before = { stored: await world.site.readStored(), event: world.history.next() };
  await sendAll(world);
  await runSweep(world);
  world.stored = await world.site.readStored();
  expect(findViolations(world)).toEqual([]);
  const isOver = ({ state, stage }: StoredDelivery) =>
    state === 'sent' || state === 'cancelled' || (state === 'pending' && stage === 'overdue');
  expect(world.stored.deliveries.filter((delivery) => !isOver(delivery))).toEqual([]);
}
