// Stops what its parent started when the parent dies without having done so. The parent's death
// closes our input; each line of it names a process and the signal that asks it to end.
import { createInterface } from 'node:readline';
import { isRunning } from './lock.mjs';
import { sendSignal, waitUntil } from './processes.ts';

const TIMEOUT_MS = 30_000;

async function endAll(identities: readonly string[], signal: NodeJS.Signals): Promise<void> {
  const alive = identities.filter(isRunning);
  for (const identity of alive) sendSignal(Number.parseInt(identity, 10), signal);
  await waitUntil(() => !alive.some(isRunning), TIMEOUT_MS);
  // A leader that has ended may have left processes behind in its group.
  for (const identity of alive) sendSignal(-Number.parseInt(identity, 10), 'SIGKILL');
}

const guarded = { SIGTERM: [] as string[], SIGINT: [] as string[] };
for await (const line of createInterface({ input: process.stdin })) {
  const [signal, identity] = line.split(' ');
  if (identity && (signal === 'SIGTERM' || signal === 'SIGINT')) guarded[signal].push(identity);
}
await endAll(guarded.SIGTERM, 'SIGTERM');
await endAll(guarded.SIGINT, 'SIGINT');
