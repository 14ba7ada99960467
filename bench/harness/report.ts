import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/processes.ts';

const reportFolder = join(projectRoot, '.data', 'bench');

/** A cell of a table; `formatTable` formats numbers. */
export type Cell = string | number;

/** 0.053, 1.27, 35.4, 1 540. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
  if (Number.isInteger(value)) return String(value);

  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

const formatRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** A Markdown table; every column but the first is aligned to the right. */
export function formatTable(head: readonly string[], rows: ReadonlyArray<readonly Cell[]>): string {
  return [
    formatRow(head),
    formatRow(head.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...rows.map((cells) =>
      formatRow(cells.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : cell))),
    ),
  ].join('\n');
}

const formatRatio = (ratio: number) => (Number.isFinite(ratio) ? `×${formatNumber(ratio)}` : '–');

/** One result with little and with much data. */
export interface GrowthRow {
  readonly what: string;
  readonly small: number;
  readonly large: number;
  /** How many times more there is of what the result may grow with; 1: it must not grow. */
  readonly dataRatio: number;
}

/** A table of results, each with its growth and the growth it may have. */
export function formatGrowthTable(
  [small, large]: readonly [string, string],
  rows: readonly GrowthRow[],
): string {
  return formatTable(
    ['', small, large, 'ratio', 'data ratio'],
    rows.map((row) => [
      ...[row.what, row.small, row.large, formatRatio(row.large / row.small)],
      row.dataRatio === 1 ? '–' : formatRatio(row.dataRatio),
    ]),
  );
}

function readVersion(packageName: string): string {
  const file = join(projectRoot, 'node_modules', packageName, 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };

  return `${packageName} ${version}`;
}

const runGit = (...args: string[]) =>
  execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).trim();

/** Date, commit, machine and versions, in one sentence. */
function describeRun(packages: readonly string[]): string {
  const [core] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const isChanged = runGit('status', '--porcelain', '--', '.', ':!docs') !== '';

  return (
    `Measured on ${new Date().toISOString().slice(0, 10)} ` +
    `at ${runGit('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}: ` +
    `${cpus().length} cores (${core?.model.trim() ?? 'unknown'}), ${memory} GiB, ` +
    `Linux ${release()}, Node ${process.versions.node}` +
    packages.map((name) => `, ${readVersion(name)}`).join('') +
    '.'
  );
}

/**
 * Prints the report of a benchmark and saves it as `.data/bench/NAME.md`.
 * @param packages whose versions the results depend on
 * @param blocks tables and sentences, in Markdown
 */
export function publishReport(name: string, packages: readonly string[], blocks: readonly string[]): void {
  const report = [`## ${name}`, describeRun(packages), ...blocks].join('\n\n');
  process.stdout.write(`${report}\n\n`);
  mkdirSync(reportFolder, { recursive: true });
  writeFileSync(join(reportFolder, `${name}.md`), `${report}\n`);
}
