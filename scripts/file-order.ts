import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds of the files that take longest (`npm test -- --times`, and of the fault matrix what its tests print). */
const SECONDS: Readonly<Record<string, number>> = {
  'integration/ops-repository': 47,
  'integration/delivery-model': 42,
  'integration/monitoring/metrics-server': 25,
  'integration/ops-backup': 21,
  'integration/mail-faults/server-faults': 19,
  'integration/proxy.test': 18,
  'integration/ops-restore': 17,
  'integration/header-scan': 16,
  'integration/ops-doctor': 14,
  'integration/demo': 13,
  'integration/monitoring/metrics.test': 13,
  'integration/alerts': 12,
  'integration/crm-webhook': 11,
  'integration/day-in-the-life': 11,
  'integration/least-privilege': 10,
  'browser/every-page': 49,
  'browser/insights-gate': 25,
  'browser/budgets': 21,
  'browser/spam-and-source': 21,
  'browser/sleeping-pages': 20,
  'browser/other-browsers': 30,
  'browser/moving-between-pages': 12,
  'faults/load': 76,
  'faults/postfix': 66,
  'faults/worker-kills': 65,
  'faults/mail-servers': 59,
  'faults/proxy-faults': 54,
  'faults/demo': 51,
  'faults/many-processes': 50,
  'faults/worker-ends': 46,
  'faults/crm-servers': 45,
  'faults/backup-under-load': 42,
  'scripts/processes': 5,
};

/** Of a file that is not among them. */
const OTHERS = { integration: 3, browser: 10, faults: 20, unit: 0.3 };

type Kind = keyof typeof OTHERS;

interface TimedFile {
  readonly file: TestSpecification;
  /** The part of the time of its kind that comes before it, from 0 to 1. */
  readonly start: number;
}

function findKind({ moduleId }: TestSpecification): Kind {
  const kinds = ['integration', 'browser', 'faults'] as const;

  return kinds.find((kind) => moduleId.includes(`/tests/${kind}/`)) ?? 'unit';
}

function estimateSeconds({ moduleId }: TestSpecification, kind: Kind): number {
  const [, seconds = OTHERS[kind]] = Object.entries(SECONDS).find(([part]) => moduleId.includes(`/${part}`)) ?? [];

  return seconds;
}

/** The files of a kind, longest first. */
function timeFiles(files: readonly TestSpecification[], kind: Kind): TimedFile[] {
  const timed = files
    .filter((file) => findKind(file) === kind)
    .map((file) => ({ file, seconds: estimateSeconds(file, kind) }))
    .toSorted((one, other) => other.seconds - one.seconds);
  const total = timed.reduce((sum, { seconds }) => sum + seconds, 0);
  let before = 0;

  return timed.map(({ file, seconds }) => {
    const start = before / total;
    before += seconds;

    return { file, start };
  });
}

/**
 * Starts the longest files first, for the last one to start would run alone at the end, and those of the browser evenly
 * among those of integration: a browser keeps a core busy, and most of the others wait for a process or a mail. Unit
 * tests come last.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const mixed = [...timeFiles(sorted, 'integration'), ...timeFiles(sorted, 'browser')];
    mixed.sort((one, other) => one.start - other.start);

    return [...mixed, ...timeFiles(sorted, 'faults'), ...timeFiles(sorted, 'unit')].map(({ file }) => file);
  }
}
