import { parseArgs } from 'node:util';
import { measureMemory, type MemoryFigures } from './measure-memory.ts';
import { moveToLoadCore } from './pinned-process.ts';
import { writeNumber, writeTable } from './report.ts';
import { runPart } from './run-part.ts';
import { startStores } from './start-stores.ts';

/** Minutes; shorter ones are for trying. */
const { values } = parseArgs({
  options: {
    load: { type: 'string', default: '5' },
    idle: { type: 'string', default: '60' },
  },
});
const minutes = { load: Number(values.load), idle: Number(values.idle) };

function describeMemory({ atStart, afterLoad, afterIdle, requests, contacts }: MemoryFigures) {
  return [
    `Memory of the web process: every page, a search, an unknown path and what machines read, by ` +
      `${writeNumber(requests)} requests over 32 connections, and ${writeNumber(contacts)} contact ` +
      'requests one after another beside them.',
    writeTable(
      ['when', 'memory MiB'],
      [
        ['at the first answer', atStart],
        [`after ${minutes.load} minutes of load`, afterLoad],
        [`after ${minutes.idle} minutes without a request`, afterIdle],
      ],
    ),
  ];
}

await runPart(['wrk', 'redis-server'], async (atEnd) => {
  moveToLoadCore();
  const { settings } = await startStores(atEnd);

  return { part: 'memory', blocks: describeMemory(await measureMemory(settings, minutes)) };
});
