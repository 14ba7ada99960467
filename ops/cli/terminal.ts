import Table from 'cli-table3';

/** Controls (escape sequences begin with one) and marks that change the direction of text. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const escape = (character: string) =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** A visitor's text on one line, without anything a terminal would obey. */
export function makeSafe(text: string): string {
  return text.replace(UNSAFE, escape);
}

/** The same for text of several lines. */
export function makeSafeLines(text: string): string {
  return text.split('\n').map((line) => makeSafe(line.replaceAll('\t', '  '))).join('\n');
}

/** JSON that is safe to look at in a terminal and reads as the same values. */
export function toJson(value: unknown, indent?: number): string {
  // JSON itself escapes the other controls.
  return JSON.stringify(value, null, indent).replace(UNSAFE_IN_JSON, escape);
}

/** Writes a line for the person or program that asked. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a line beside the output. */
export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

const WIDEST = 40;

function toCell(value: string | number | null): string {
  const text = makeSafe(String(value ?? ''));

  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}

/** A table for people, every cell on one line. */
export function printTable(
  head: readonly string[],
  rows: ReadonlyArray<ReadonlyArray<string | number | null>>,
): void {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  table.push(...rows.map((row) => row.map(toCell)));
  say(table.toString());
}

/** A time as people read it, in UTC: `2026-11-21 14:05`. */
export function formatTime(time: Date | null): string | null {
  return time && time.toISOString().slice(0, 16).replace('T', ' ');
}
