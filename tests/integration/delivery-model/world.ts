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
  /** The event of the answer that it is marked as contacted. */
  readonly contactedAt: number | undefined;
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

/** The site, its workers, and what people outside know of it. */
export interface World {
  readonly site: Site;
  readonly history: History;
  /** Undefined for one that has crashed and wasn't started again. */
  readonly workers: Array<Worker | undefined>;
  /** Those that a restore lost aren't in it. */
  accepted: readonly Accepted[];
  readonly holds: HoldTime[];
  /** By request, the event of the answer that it is erased. */
  readonly erasures: Map<string, number>;
  /** By person, PostgreSQL's time after everything of theirs was erased. */
  readonly erasedPeople: Map<number, number>;
  /** By delivery, the event since when its mails count: an operator's retry allows two more. */
  readonly countedSince: Map<string, number>;
  backup: Backup | undefined;
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

export async function createWorld(site: Site, workerCount: number): Promise<World> {
  await site.empty();
  const history = createHistory();
  const stored = await site.readStored();

  return {
    site,
    history,
    workers: Array.from({ length: workerCount }, () => createWorker(site, history)),
    accepted: [],
    holds: [],
    erasures: new Map(),
    erasedPeople: new Map(),
    countedSince: new Map(),
    backup: undefined,
    wasClockSetBack: false,
    before: { stored, event: 0 },
    stored,
  };
}

/** Replaces what is known of one accepted request. */
export function updateAccepted(world: World, id: string, change: Partial<Accepted>): void {
  world.accepted = world.accepted.map((one) => (one.id === id ? { ...one, ...change } : one));
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
