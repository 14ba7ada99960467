import type { Config } from '../../../shared/node/config/config.ts';
import type { Outcome } from '../../../shared/contact/outcomes.ts';
import type { Dump, Site, Stored } from './site.ts';
import { createHistory, type History } from './history.ts';
import { createWorker, type Worker } from './worker.ts';

/** A request that the site has accepted: its visitor read "Congratulations". */
export interface Accepted {
  readonly id: string;
  /** Which of the people wrote it. */
  readonly person: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** PostgreSQL's time before it was accepted, in milliseconds. */
  readonly acceptedAt: number;
  /** The same of its deliveries: later for a held one that was released, undefined until then. */
  readonly plannedAt: number | undefined;
  /** What sales did about it and stands, in its order. */
  readonly done: readonly Deed[];
}

/** Something that sales did about a request. */
export interface Deed {
  readonly what: Outcome;
  /** PostgreSQL's time before it was done, in milliseconds. */
  readonly time: number;
  /** To whom, or until when: what makes a repetition one. */
  readonly to?: string;
  readonly until?: number;
  readonly isPastPromise?: boolean;
}

/** A time in which a request was settled, by the events at its ends. */
interface SettledTime {
  readonly submissionId: string;
  readonly from: number;
  to: number;
}

/** A time in which sales had put a request off, by the events at its ends. */
interface PutOffTime {
  readonly submissionId: string;
  readonly from: number;
  to: number;
  /** PostgreSQL's time before which no reminder comes, in milliseconds. */
  readonly until: number;
  /** Nor the mail at the promised time. */
  readonly isPastPromise: boolean;
}

/** A time in which nothing may be claimed, by the events at its ends. */
interface HoldTime {
  readonly from: number;
  readonly to: number;
}

interface Backup {
  readonly dump: Dump;
  readonly accepted: readonly Accepted[];
}

/** Whether a request goes to all of sales, or to one in turn. */
export type Assignment = Config['mail']['assignment'];

/** The site, its workers, and what people outside know of it. */
export interface World {
  readonly site: Site;
  readonly assignment: Assignment;
  readonly history: History;
  /** Undefined for one that has crashed and wasn't started again. */
  readonly workers: Array<Worker | undefined>;
  /** Those that a restore lost aren't in it. */
  accepted: readonly Accepted[];
  readonly holds: HoldTime[];
  readonly settledTimes: SettledTime[];
  readonly putOffTimes: PutOffTime[];
  /** By request, the event of the answer that it is erased. */
  readonly erasures: Map<string, number>;
  /** By person, PostgreSQL's time after everything of theirs was erased. */
  readonly erasedPeople: Map<number, number>;
  /** By delivery, the event since when its mails count: an operator's retry allows two more. */
  readonly countedSince: Map<string, number>;
  backup: Backup | undefined;
  /** The event of the last restore, which forgets what was sent after its backup; 0 before the first. */
  restoredAt: number;
  /**
   * Which requests an erasure meant is known by times: a restore beside a clock that was set back is more than
   * the site promises.
   */
  wasClockSetBack: boolean;
  /** What the database had before the last command, and the last event by then. */
  before: { readonly stored: Stored; readonly event: number };
  /** What it has now. */
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

/** Replaces what is known of one accepted request. */
export function updateAccepted(world: World, id: string, change: Partial<Accepted>): void {
  world.accepted = world.accepted.map((one) => (one.id === id ? { ...one, ...change } : one));
}

export const isSettled = ({ done }: Accepted): boolean =>
  done.some(({ what }) => what === 'contacted' || what === 'unfit');

function notePutOff({ accepted, putOffTimes, history }: World): void {
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

function noteSettled({ accepted, settledTimes, history }: World): void {
  for (const request of accepted) {
    const last = settledTimes.findLast(({ submissionId, to }) => submissionId === request.id && to === Infinity);
    if (last && !isSettled(request)) last.to = history.next();
    if (!last && isSettled(request)) {
      settledTimes.push({ submissionId: request.id, from: history.next(), to: Infinity });
    }
  }
}

/** Notes which requests are settled or put off from now on, and which are no longer. */
export function noteDone(world: World): void {
  noteSettled(world);
  notePutOff(world);
}

export const getIdleWorkers = ({ workers }: World): Worker[] =>
  workers.filter((worker) => worker !== undefined).filter((worker) => worker.getGate() === undefined);

export const getBusyWorkers = ({ workers }: World): Worker[] =>
  workers.filter((worker) => worker !== undefined).filter((worker) => worker.getGate() !== undefined);

/** Of several the one a command's number means. */
export function pick<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error('There is nothing to pick.');

  return item;
}

/** Ends all workers, as before a restore. */
export async function crashWorkers({ workers }: World): Promise<void> {
  for (const worker of workers) await worker?.crash();
  workers.fill(undefined);
}
