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

/** A log line as a sentence, its time in UTC; other lines unchanged. */
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

/** Opens a process's log; returns what writes a line to `file` and shows it as a sentence. */
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
