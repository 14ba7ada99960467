import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/processes.ts';

/** Formats a number: `0.053`, `1.27`, `35.4`, `1 540`. */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
  if (Number.isInteger(value)) return String(value);

  return value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

const formatRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** Returns a Markdown table. Every column except the first is right-aligned. */
export function formatTable(
  head: readonly string[],
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
): string {
  return [
    formatRow(head),
    formatRow(head.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...rows.map((cells) =>
      formatRow(cells.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : cell))),
    ),
  ].join('\n');
}

const runGit = (...args: string[]) =>
  execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).trim();

/** Returns a sentence with the date, commit, machine and versions. */
function describeRun(): string {
  const [core] = cpus();
  const isChanged = runGit('status', '--porcelain', '--', '.', ':!docs') !== '';

  return (
    `Measured on ${new Date().toISOString().slice(0, 10)} ` +
    `at ${runGit('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}: ` +
    `${cpus().length} cores (${core?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `Linux ${release()}, Node ${process.versions.node}.`
  );
}

/**
 * Prints a benchmark's report and saves it as `.data/bench/NAME.md`.
 * @param blocks tables and sentences, in Markdown
 */
export function publishReport(name: string, blocks: readonly string[]): void {
  const folder = join(projectRoot, '.data', 'bench');
  const report = [`## ${name}`, describeRun(), ...blocks].join('\n\n');
  process.stdout.write(`${report}\n\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.md`), `${report}\n`);
}
