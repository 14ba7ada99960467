import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { deliveryKinds, kindRules } from '../../../shared/deliveries/delivery.ts';
import { Day, Hour, Minute, Second } from '../../../shared/time.ts';
import type { Command } from './command.ts';
import {
  backUp,
  comeBack,
  erasePerson,
  eraseRequest,
  goAway,
  hold,
  releaseHold,
  restore,
  retryDead,
  stepClock,
} from './operator-commands.ts';
import { releaseRequest, repeatSubmit, submit } from './people-commands.ts';
import { regressions } from './regressions.ts';
import { contact, handOver, reject, snooze, undo } from './sales-commands.ts';
import { settle } from './settle.ts';
import { openSite, type Site } from './site.ts';
import { refusals } from './stepper.ts';
import { crash, defer, goOn, loseResponse, refuse, runDue, runJob, startWorker, sweep } from './worker-commands.ts';
import { crashWorkers, createWorld, type Assignment } from './world.ts';

/** Number of random runs. The fault tests and manual runs use more (docs/testing.md). */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 50);

/** Much longer than a run takes, because the machine may be busy. */
const RUN_TIMEOUT = 10 * Second;

const MAX_WORKERS = 4;
const MAX_COMMANDS = 150;

const worker = fc.nat(MAX_WORKERS - 1);
const person = fc.nat(1);
const number = fc.nat(1);
const kind = fc.constantFrom(...deliveryKinds.filter((one) => kindRules[one].subject === 'submission'));
/** Leases, back-offs and pauses last minutes, and the plan spans a day. Clocks are set back by two minutes. */
const step = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(-2 * Minute) },
  { weight: 4, arbitrary: fc.constantFrom(1 * Minute, 2 * Minute, 16 * Minute) },
  { weight: 3, arbitrary: fc.constantFrom(20 * Hour, 1 * Day) },
);

/** Every command with its weight in a random run. */
const commands: ReadonlyArray<fc.WeightedArbitrary<Command>> = [
  { weight: 8, arbitrary: fc.tuple(person, fc.nat(3)).map(([who, chance]) => submit(who, chance === 0)) },
  { weight: 1, arbitrary: number.map(repeatSubmit) },
  { weight: 2, arbitrary: number.map(contact) },
  { weight: 1, arbitrary: number.map(reject) },
  { weight: 3, arbitrary: fc.tuple(number, fc.boolean(), fc.boolean()).map(([one, isLate, isPastPromise]) => snooze(one, isLate, isPastPromise)) },
  { weight: 2, arbitrary: fc.tuple(number, number).map(([one, to]) => handOver(one, to)) },
  { weight: 4, arbitrary: number.map(undo) },
  { weight: 2, arbitrary: number.map(releaseRequest) },
  { weight: 16, arbitrary: fc.tuple(worker, fc.nat(3)).map(([one, delivery]) => runJob(one, delivery)) },
  { weight: 8, arbitrary: fc.tuple(worker, kind).map(([one, ofKind]) => runDue(one, ofKind)) },
  { weight: 25, arbitrary: worker.map(goOn) },
  { weight: 4, arbitrary: fc.tuple(worker, fc.constantFrom(...refusals)).map(([one, refusal]) => refuse(one, refusal)) },
  { weight: 8, arbitrary: worker.map(defer) },
  { weight: 8, arbitrary: worker.map(loseResponse) },
  { weight: 4, arbitrary: worker.map(crash) },
  { weight: 5, arbitrary: fc.constant(startWorker()) },
  { weight: 5, arbitrary: fc.constant(sweep()) },
  { weight: 8, arbitrary: step.map(stepClock) },
  { weight: 1, arbitrary: fc.constant(hold()) },
  { weight: 8, arbitrary: fc.constant(releaseHold()) },
  { weight: 3, arbitrary: fc.constant(retryDead()) },
  { weight: 1, arbitrary: number.map(eraseRequest) },
  { weight: 1, arbitrary: person.map(erasePerson) },
  { weight: 2, arbitrary: person.map(goAway) },
  { weight: 2, arbitrary: person.map(comeBack) },
  { weight: 2, arbitrary: fc.constant(backUp()) },
  { weight: 2, arbitrary: fc.constant(restore()) },
];

let site: Site;

beforeAll(async () => {
  site = await openSite();

  return site.close;
});

/** Runs commands on an empty site and lets it settle. */
async function run(workerCount: number, assignment: Assignment, list: Iterable<Command>): Promise<void> {
  const world = await createWorld(site, workerCount, assignment);

  try {
    await fc.asyncModelRun(() => ({ model: world, real: world }), list);
    await settle(world);
  } finally {
    await crashWorkers(world);
  }
}

test(
  `no delivery is lost or sent too often, in ${RUNS} random runs of the site`,
  async () => {
    const lives = fc.asyncProperty(
      fc.integer({ min: 1, max: MAX_WORKERS }),
      fc.constantFrom<Assignment>('all', 'rotate'),
      // Biased values would make most lists short.
      fc.noBias(fc.commands([fc.oneof(...commands)], { maxCommands: MAX_COMMANDS, size: 'max' })),
      run,
    );

    await fc.assert(lives, { numRuns: RUNS });
  },
  1 * Minute + RUNS * RUN_TIMEOUT,
);

test.each(regressions)('a recorded run of the site breaks no rule: $why', async ({ workers, assignment = 'all', commands: list }) => {
  await expect(run(workers, assignment, list)).resolves.toBeUndefined();
});
