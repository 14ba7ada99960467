import type { Writable } from 'node:stream';
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

interface ProgressBar {
  readonly update: (done: number) => void;
  readonly stop: () => void;
}

type Rows = ReadonlyArray<ReadonlyArray<string | number | null>>;

function formatTable(head: readonly string[], rows: Rows): string {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  table.push(...rows.map((row) => row.map(toCell)));

  return table.toString();
}

function startProgressBar(total: number, stream: Stderr): ProgressBar {
  if (!stream.isTTY) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    format: '{bar} {value}/{total}, {eta_formatted} to go',
    stream,
    clearOnComplete: true,
  });
  bar.start(total, 0);

  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}

type Stderr = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface Streams {
  readonly stdout: Writable;
  readonly stderr: Stderr;
}

/** Where a command writes: its results to standard output, everything else to standard error. */
export interface Terminal extends Streams {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Prints a table, every cell on one line. */
  readonly printTable: (head: readonly string[], rows: Rows) => void;
  /** A progress bar on standard error, if that is a terminal. */
  readonly startProgressBar: (total: number) => ProgressBar;
}

export function createTerminal({ stdout, stderr }: Streams): Terminal {
  const print = (text: string) => void stdout.write(`${text}\n`);

  return {
    stdout,
    stderr,
    print,
    printError: (text) => void stderr.write(`${text}\n`),
    printTable: (head, rows) => print(formatTable(head, rows)),
    startProgressBar: (total) => startProgressBar(total, stderr),
  };
}
