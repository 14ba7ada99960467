import { mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { levels } from 'pino';

interface LogLine {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly code?: string };
  readonly [field: string]: unknown;
}

/**
 * A log line as a sentence: `14:05:09 worker warn: The mail server refuses us. (code=535)`, its time in UTC.
 * What is no log line stays as it is.
 */
function formatLogLine(process: string, line: string): string {
  if (!line.startsWith('{"level":') || !line.endsWith('}')) return line;
  // The sentence begins with the name of the process.
  const { level, time, msg, err, process: _name, ...rest } = JSON.parse(line) as LogLine;
  const facts = Object.entries({ ...rest, ...(err?.code !== undefined && { code: err.code }) })
    // As JSON, because a terminal interprets control characters.
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const cause = err && [err.type, err.message].filter(Boolean).join(': ');

  return [
    `${time.slice(11, 19)} ${process} ${levels.labels[level] ?? level}: ${msg}`,
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
