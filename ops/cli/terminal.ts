import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';

/** Control characters (escape sequences begin with one) and those that change the direction of text. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const escape = (character: string) =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** A visitor's text on one line, with everything escaped that a terminal interprets. */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, escape);
}

/** The same for text of several lines. */
export function escapeControlsInLines(text: string): string {
  return text.split('\n').map((line) => escapeControls(line.replaceAll('\t', '  '))).join('\n');
}

/** JSON with the same values and everything escaped that a terminal interprets. */
export function toJson(value: unknown, indent?: number): string {
  // JSON itself escapes the other controls.
  return JSON.stringify(value, null, indent).replace(UNSAFE_IN_JSON, escape);
}

/** Writes a line to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a line to standard error. */
export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

const MAX_CELL_WIDTH = 40;

function toCell(value: string | number | null): string {
  const text = escapeControls(String(value ?? ''));

  return text.length > MAX_CELL_WIDTH ? `${text.slice(0, MAX_CELL_WIDTH - 1)}…` : text;
}

/** Prints a table, every cell on one line. */
export function printTable(
  head: readonly string[],
  rows: ReadonlyArray<ReadonlyArray<string | number | null>>,
): void {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  table.push(...rows.map((row) => row.map(toCell)));
  print(table.toString());
}

/** A time in UTC: `2026-11-21 14:05`. */
export function formatTime(time: Date | null): string | null {
  return time && time.toISOString().slice(0, 16).replace('T', ' ');
}

interface ProgressBar {
  readonly update: (done: number) => void;
  readonly stop: () => void;
}

/** A progress bar on standard error, if that is a terminal. */
export function startProgressBar(total: number): ProgressBar {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    format: '{bar} {value}/{total}, {eta_formatted} to go',
    stream: process.stderr,
    clearOnComplete: true,
  });
  bar.start(total, 0);

  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}
