import type { Config } from '../../../shared/node/config/config.ts';
import type { Outcome } from '../../../shared/contact/outcomes.ts';
import type { Dump, Site, Stored } from './site.ts';
import { createHistory, type History } from './history.ts';
import { createWorker, type Worker } from './worker.ts';

/** A request that the site has accepted and confirmed to the visitor. */
export interface Accepted {
  readonly id: string;
  /** The number of the person who sent it. */
  readonly person: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** PostgreSQL's time before it was accepted, in milliseconds. */
  readonly acceptedAt: number;
  /** PostgreSQL's time before its deliveries were planned, in milliseconds. Undefined while the request is held. */
  readonly plannedAt: number | undefined;
  /** The outcomes that sales recorded and didn't undo, in order. */
  readonly done: readonly RecordedOutcome[];
}

/** An outcome that sales recorded for a request. */
export interface RecordedOutcome {
  readonly what: Outcome;
  /** PostgreSQL's time before it was recorded, in milliseconds. */
  readonly time: number;
  /** The new assignee. A repeated outcome has the same `to`, or the same `until` and `isPastPromise`. */
  readonly to?: string;
  readonly until?: number;
  readonly isPastPromise?: boolean;
}

/** A period in which a request was settled, given by the numbers of its first and last events. */
interface SettledTime {
  readonly submissionId: string;
  readonly from: number;
  to: number;
}

/** A period in which a request was snoozed. */
interface PutOffTime extends SettledTime {
  /** Earliest time for a reminder: PostgreSQL's time in milliseconds. */
  readonly until: number;
  /** Whether the due notice also waits until then. */
  readonly isPastPromise: boolean;
}

/** A period in which nothing may be claimed, given by the numbers of its first and last events. */
interface HoldTime {
  readonly from: number;
  readonly to: number;
}

interface Backup {
  readonly dump: Dump;
  readonly accepted: readonly Accepted[];
}

/** Whether a request goes to everyone in sales or to one person by rotation. */
export type Assignment = Config['mail']['assignment'];

/** The site, its workers, and what people outside the site know. */
export interface World {
  readonly site: Site;
  readonly assignment: Assignment;
  readonly history: History;
  /** Undefined for a worker that crashed and wasn't restarted. */
  readonly workers: Array<Worker | undefined>;
  /** The accepted requests, without those that a restore lost. */
  accepted: readonly Accepted[];
  readonly holds: HoldTime[];
  readonly settledTimes: SettledTime[];
  readonly putOffTimes: PutOffTime[];
  /** Maps a request's id to the number of the event that reported its erasure. */
  readonly erasures: Map<string, number>;
  /** Maps a person to PostgreSQL's time after all their data was erased, in milliseconds. */
  readonly erasedPeople: Map<number, number>;
  /** Maps a delivery's id to the event after which its mails count. An operator's retry allows two more. */
  readonly countedSince: Map<string, number>;
  backup: Backup | undefined;
  /** Number of the last restore's event. A restore loses the record of later sends. 0 before the first restore. */
  restoredAt: number;
  /**
   * An erasure compares request times, so the site promises nothing about a restore after its clock
   * was set back.
   */
  wasClockSetBack: boolean;
  /** The data before the last command, and the number of the last event before it. */
  before: { readonly stored: Stored; readonly event: number };
  /** The current data. */
  stored: Stored;
}

export async function createWorld(site: Site, workerCount: number, assignment: Assignment): Promise<World> {
  await site.empty();
  const history = createHistory();
  const stored = await site.readStored();

  return {
    site,
    assignment,
    history,
    workers: Array.from({ length: workerCount }, () => createWorker(site, history, assignment)),
    accepted: [],
    holds: [],
    settledTimes: [],
    putOffTimes: [],
    erasures: new Map(),
    erasedPeople: new Map(),
    countedSince: new Map(),
    backup: undefined,
    restoredAt: 0,
    wasClockSetBack: false,
    before: { stored, event: 0 },
    stored,
  };
}

/** Updates an accepted request. */
export function updateAccepted(world: World, id: string, change: Partial<Accepted>): void {
  world.accepted = world.accepted.map((one) => (one.id === id ? { ...one, ...change } : one));
}

export const isSettled = ({ done }: Accepted): boolean =>
  done.some(({ what }) => what === 'contacted' || what === 'unfit');

function trackPutOff({ accepted, putOffTimes, history }: World): void {
  for (const { id: submissionId, done } of accepted) {
    const { until, isPastPromise = false } = done.findLast(({ what }) => what === 'snooze') ?? {};
    const last = putOffTimes.findLast((time) => time.submissionId === submissionId && time.to === Infinity);
    if (last?.until === until) continue;
    if (last) last.to = history.next();
    if (until !== undefined) {
      putOffTimes.push({ submissionId, from: history.next(), to: Infinity, until, isPastPromise });
    }
  }
}

function trackSettled({ accepted, settledTimes, history }: World): void {
  for (const request of accepted) {
    const last = settledTimes.findLast(({ submissionId, to }) => submissionId === request.id && to === Infinity);
    if (last && !isSettled(request)) last.to = history.next();
    if (!last && isSettled(request)) {
      settledTimes.push({ submissionId: request.id, from: history.next(), to: Infinity });
    }
  }
}

/** Starts and ends the periods in which requests are settled or snoozed. */
export function trackOutcomes(world: World): void {
  trackSettled(world);
  trackPutOff(world);
}

export const getIdleWorkers = ({ workers }: World): Worker[] =>
  workers.filter((worker) => worker !== undefined).filter((worker) => worker.getGate() === undefined);

export const getBusyWorkers = ({ workers }: World): Worker[] =>
  workers.filter((worker) => worker !== undefined).filter((worker) => worker.getGate() !== undefined);

/** Picks the item for a command's number, which may exceed the number of items. */
export function pick<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error('There is nothing to pick.');

  return item;
}

/** Crashes all workers. */
export async function crashWorkers({ workers }: World): Promise<void> {
  for (const worker of workers) await worker?.crash();
  workers.fill(undefined);
}
