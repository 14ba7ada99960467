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

/** Formats a JSON log line as a sentence with UTC time. Returns other lines unchanged. */
function formatLogLine(process: string, line: string): string {
  if (!line.startsWith('{"level":') || !line.endsWith('}')) return line;
  // The sentence starts with the process name.
  const { level, time, msg, err, process: _name, ...rest } = JSON.parse(line) as LogLine;
  const facts = Object.entries({ ...rest, ...(err?.code !== undefined && { code: err.code }) })
    // JSON escapes control characters, which a terminal would interpret.
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const cause = err && [err.type, err.message].filter(Boolean).join(': ');

  return [
    `${time.slice(11, 19)} ${process} ${levels.labels[level] ?? level}: ${msg}`,
    ...(cause ? [cause] : []),
    ...(facts.length > 0 ? [`(${facts.join(', ')})`] : []),
  ].join(' ');
}

/** Opens a process's log. Returns a function that writes a line to `file` and prints it as a sentence. */
export function openProcessLog(process: string, file: string): (line: string) => void {
  mkdirSync(dirname(file), { recursive: true });
  // A file that root created can't be opened, but it can be removed.
  rmSync(file, { force: true });
  const descriptor = openSync(file, 'w');

  return (line) => {
    writeSync(descriptor, `${line}\n`);
    console.error(formatLogLine(process, line));
  };
}
