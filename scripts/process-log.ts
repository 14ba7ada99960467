import { mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Pino's levels, by their numbers: https://getpino.io/#/docs/api?id=logger-level */
const levelNames: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

/** Fields that say what the sentence says already. */
const SPOKEN_FIELDS = new Set(['level', 'time', 'process', 'msg', 'err']);

interface LogLine {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly code?: string };
  readonly [field: string]: unknown;
}

function parseLogLine(line: string): LogLine | undefined {
  if (!line.startsWith('{"level":')) return undefined;
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return undefined;
  }
}

/**
 * A log line as a sentence: `14:05:09 worker warning: The mail server refuses us. (code=535)`, its time in UTC.
 * What is no log line stays as it is.
 */
export function formatLogLine(process: string, line: string): string {
  const entry = parseLogLine(line);
  if (!entry) return line;
  const { level, time, msg, err, ...rest } = entry;
  const facts = Object.entries({ ...rest, ...(err?.code !== undefined && { code: err.code }) })
    .filter(([name]) => !SPOKEN_FIELDS.has(name))
    // As JSON, because a terminal interprets control characters.
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const cause = err && [err.type, err.message].filter(Boolean).join(': ');

  return [
    `${time.slice(11, 19)} ${process} ${levelNames[level] ?? level}: ${msg}`,
    ...(cause ? [cause] : []),
    ...(facts.length > 0 ? [`(${facts.join(', ')})`] : []),
  ].join(' ');
}

/**
 * Opens the log of a process, which ends with ours.
 * @param file is replaced
 * @returns a function that writes a line to the file as it is, and shows it as a sentence
 */
export function openProcessLog(process: string, file: string): (line: string) => void {
  mkdirSync(dirname(file), { recursive: true });
  // Root's, in a folder of ours, can't be opened but removed.
  rmSync(file, { force: true });
  const descriptor = openSync(file, 'w');

  return (line) => {
    writeSync(descriptor, `${line}\n`);
    console.error(formatLogLine(process, line));
  };
}
