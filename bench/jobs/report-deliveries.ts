import { REPEATS, compareInTurns } from '../compare.ts';
import { writeNumber, writeTable, type Cell } from '../report.ts';
import { measureBaseline, type BaselineName } from './measure-baseline.ts';
import { measureDrain, measureRate, type RateRun } from './measure-deliveries.ts';
import type { Rate } from './rate.ts';
import type { Site } from './servers.ts';

interface Counts {
  readonly count: number;
  readonly warmUp: number;
}

/** Beside what a delivery is measured. */
type Target =
  | { readonly label: string; readonly baseline: BaselineName }
  | {
      readonly label: string;
      readonly run: Pick<RateRun, 'kind' | 'workers'>;
      readonly beside: BaselineName;
    };

const TARGETS: readonly Target[] = [
  { label: 'BullMQ’s worker, empty job', baseline: 'jobs' },
  { label: 'nodemailer alone, pooled, the same mail', baseline: 'mails' },
  { label: 'follow-ups, 1 worker', run: { kind: 'follow-up', workers: 1 }, beside: 'mails' },
  { label: 'follow-ups, 4 workers', run: { kind: 'follow-up', workers: 4 }, beside: 'mails' },
  { label: 'undici alone, kept connections, the same event', baseline: 'events' },
  { label: 'CRM exports, 1 worker', run: { kind: 'crm-export', workers: 1 }, beside: 'events' },
  { label: 'CRM exports, 4 workers', run: { kind: 'crm-export', workers: 4 }, beside: 'events' },
];

const ratio = (value: number, baseline: number | undefined) =>
  baseline === undefined ? '' : writeNumber(value / baseline);

/** Deliveries a second and their processor time, beside what each is made of. */
export async function reportRates(site: Site, counts: Counts): Promise<readonly string[]> {
  const rates = await compareInTurns(TARGETS, (target) =>
    'baseline' in target
      ? measureBaseline(site, { name: target.baseline, ...counts })
      : measureRate(site, { ...target.run, ...counts }),
  );
  const rateOf = (name: BaselineName): Rate | undefined =>
    rates[TARGETS.findIndex((target) => 'baseline' in target && target.baseline === name)];
  const rows = TARGETS.map((target, index) => {
    const { perSecond = NaN, cpuMs = NaN, memoryMib = NaN } = rates[index] ?? {};
    const beside = 'beside' in target ? rateOf(target.beside) : undefined;
    const parts = beside && beside.cpuMs + (rateOf('jobs')?.cpuMs ?? 0);

    return [
      ...[target.label, perSecond, ratio(perSecond, beside?.perSecond)],
      ...[cpuMs, ratio(cpuMs, parts), memoryMib],
    ];
  });

  return [
    `${counts.count} deliveries of each worker in a run, after ${counts.warmUp} to warm up; medians of ` +
      `${REPEATS}, in turns. All workers together ` +
      'have one core; PostgreSQL, Redis, the mail server and the receiver of webhooks share the ' +
      'other. The workers’ pace of one a second is taken out. A delivery is a job of BullMQ, the ' +
      'claim of its row, its request read, what is sent rendered and sent, and the row noted as ' +
      'sent: two commits that wait for the disk. Its processor time stands beside those of the sending ' +
      'alone and the empty job together; memory is that of all the processes.',
    writeTable(
      [
        ...['', 'per second', '× the sending alone'],
        ...['CPU ms each', '× sending and empty job', 'memory MiB'],
      ],
      rows,
    ),
  ];
}

/** The rate that production's timings hold mails back to. */
export async function reportPace(site: Site, counts: Counts): Promise<readonly string[]> {
  const rows: Array<readonly [string, number]> = [];
  for (const workers of [1, 4]) {
    const run: RateRun = { kind: 'follow-up', workers, isPaced: true, ...counts };
    const { perSecond } = await measureRate(site, run);
    rows.push([`follow-ups, ${workers} worker${workers === 1 ? '' : 's'}`, perSecond]);
  }

  return [
    'At production’s pace, which is of all workers together, so that a backlog doesn’t leave as a ' +
      `burst that mail servers take for spam (${counts.count} mails of each, one run):`,
    writeTable(['', 'per second'], rows),
  ];
}

/** How long workers take for a backlog without jobs. */
export async function reportBacklog(site: Site, requests: number): Promise<readonly string[]> {
  const rows: Cell[][] = [];
  for (const workers of [1, 4]) {
    const drain = await measureDrain(site, { requests, workers });
    const label = `${workers} worker${workers === 1 ? '' : 's'}`;
    rows.push([label, drain.seconds, drain.perSecond, drain.cpuMs, drain.memoryMib]);
  }

  return [
    `A backlog of ${writeNumber(4 * requests)} due deliveries (three mails and an export for each ` +
      'request) without a job, as after a loss of Redis’s data: from the spawn of the workers to the ' +
      'last row noted as sent, without the pace. One run each. Each mail and event reached the other ' +
      'side once, by its Message-ID and webhook-id, and every row is `sent`; else there were no figures.',
    writeTable(
      ['', 'seconds', 'per second', 'CPU ms each, start included', 'memory MiB'],
      rows,
    ),
  ];
}
