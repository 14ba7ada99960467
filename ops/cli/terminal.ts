import type { Writable } from 'node:stream';
import Table from 'cli-table3';
import type { CheckResult } from '../../shared/node/monitoring/check.ts';

/** Control characters, which start escape sequences, and characters that change the text direction. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const escape = (character: string) =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** Returns text on one line, escaping everything that a terminal interprets. */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, escape);
}

/** Escapes text but keeps its line breaks. */
export function escapeControlsInLines(text: string): string {
  return text.split('\n').map((line) => escapeControls(line.replaceAll('\t', '  '))).join('\n');
}

/** Returns JSON, escaping everything that a terminal interprets. */
export function toJson(value: unknown, indent?: number): string {
  // JSON.stringify escapes the other control characters.
  return JSON.stringify(value, null, indent).replace(UNSAFE_IN_JSON, escape);
}

const KILOBYTE = 1024;
const MEGABYTE = 1024 ** 2;

const MAX_CELL_WIDTH = 40;

function toCell(value: string | number | null): string {
  const text = escapeControls(String(value ?? ''));

  return text.length > MAX_CELL_WIDTH ? `${text.slice(0, MAX_CELL_WIDTH - 1)}…` : text;
}

/** Returns a time in UTC, such as `2026-11-21 14:05`. */
export function formatTime(time: Date | null): string | null {
  return time && time.toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns a file size, such as `0.4 kB` or `12.0 MB`. */
export function formatSize(bytes: number): string {
  const [unit, name] = bytes < MEGABYTE ? [KILOBYTE, 'kB'] : [MEGABYTE, 'MB'];

  return `${(bytes / unit).toFixed(1)} ${name}`;
}

/** Returns a check's line: its state, name and detail. */
export const formatCheck = ({ check, state, detail }: CheckResult): string =>
  `${state.padEnd(4)}  ${check.padEnd(20)}  ${escapeControls(detail)}`;

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

/** Creates a command's output: results go to standard output, everything else to standard error. */
export function createTerminal({ stdout, stderr }: Streams) {
  const print = (text: string) => void stdout.write(`${text}\n`);

  return {
    stdout,
    stderr,
    print,
    printError: (text: string) => void stderr.write(`${text}\n`),
    /** Prints a table with one line per row. */
    printTable: (head: readonly string[], rows: Rows) => print(formatTable(head, rows)),
  };
}
