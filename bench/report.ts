import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../scripts/processes.ts';

const reportFile = join(projectRoot, 'docs', 'benchmarks.md');

/** Where a part's figures go in the report: `<!-- pages -->` to `<!-- end of pages -->`. */
export type Part = 'pages' | 'contact' | 'jobs' | 'start' | 'memory' | 'growth' | 'lighthouse';

/** A row's cells; numbers are written with as many digits as make sense for their size. */
export type Cell = string | number;

/** 0.053, 1.27, 35.4, 1 540. */
export function writeNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
  if (Number.isInteger(value)) return String(value);

  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

const writeRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** A Markdown table; every column but the first is aligned to the right. */
export function writeTable(head: readonly string[], rows: ReadonlyArray<readonly Cell[]>): string {
  return [
    writeRow(head),
    writeRow(head.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...rows.map((cells) =>
      writeRow(cells.map((cell) => (typeof cell === 'number' ? writeNumber(cell) : cell))),
    ),
  ].join('\n');
}

function readVersion(packageName: string): string {
  const file = join(projectRoot, 'node_modules', packageName, 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };

  return `${packageName} ${version}`;
}

const runGit = (...args: string[]) =>
  execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).trim();

/** One sentence: when, on what and with what the part was measured. */
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

/** A part as it was measured. */
export interface PartReport {
  readonly part: Part;
  /** Packages whose versions the figures depend on. */
  readonly packages?: readonly string[];
  /** Tables and sentences, in Markdown. */
  readonly blocks: readonly string[];
}

function printFigures({ packages = [], blocks }: PartReport): string {
  const figures = [describeRun(packages), ...blocks].join('\n\n');
  process.stdout.write(`${figures}\n`);

  return figures;
}

/** Prints a part's figures and leaves the report as it is. */
export function printPart(report: PartReport): void {
  printFigures(report);
}

/**
 * Prints a part's figures and puts them into the report in place of its earlier ones. What people
 * wrote around them stays.
 * @throws when the report has no place for the part
 */
export function publishPart(report: PartReport): void {
  const { part } = report;
  // First, so that what was measured is not lost when it can't be written.
  const figures = printFigures(report);
  const [from, to] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const text = readFileSync(reportFile, 'utf8');
  const [start, end] = [text.indexOf(from), text.indexOf(to)];
  if (start === -1 || end < start) throw new Error(`${reportFile} has no place for ${part}.`);
  writeFileSync(
    reportFile,
    `${text.slice(0, start + from.length)}\n\n${figures}\n\n${text.slice(end)}`,
  );
}
