import type { Writable } from 'node:stream';
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

const KILOBYTE = 1024;
const MEGABYTE = 1024 ** 2;

const MAX_CELL_WIDTH = 40;

function toCell(value: string | number | null): string {
  const text = escapeControls(String(value ?? ''));

  return text.length > MAX_CELL_WIDTH ? `${text.slice(0, MAX_CELL_WIDTH - 1)}…` : text;
}

/** A time in UTC: `2026-11-21 14:05`. */
export function formatTime(time: Date | null): string | null {
  return time && time.toISOString().slice(0, 16).replace('T', ' ');
}

/** The size of a file: `0.4 kB`, `12.0 MB`. */
export function formatSize(bytes: number): string {
  const [unit, name] = bytes < MEGABYTE ? [KILOBYTE, 'kB'] : [MEGABYTE, 'MB'];

  return `${(bytes / unit).toFixed(1)} ${name}`;
}

type Rows = ReadonlyArray<ReadonlyArray<string | number | null>>;

function formatTable(head: readonly string[], rows: Rows): string {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  table.push(...rows.map((row) => row.map(toCell)));

  return table.toString();
}

export interface Streams {
  readonly stdout: Writable;
  readonly stderr: NodeJS.WritableStream;
}

export type Terminal = ReturnType<typeof createTerminal>;

/** Where a command writes: its results to standard output, everything else to standard error. */
export function createTerminal({ stdout, stderr }: Streams) {
  const print = (text: string) => void stdout.write(`${text}\n`);

  return {
    stdout,
    stderr,
    print,
    printError: (text: string) => void stderr.write(`${text}\n`),
    /** Prints a table, every cell on one line. */
    printTable: (head: readonly string[], rows: Rows) => print(formatTable(head, rows)),
  };
}
