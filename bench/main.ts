import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.ts';
import { ensurePrerequisites } from '../scripts/prerequisites.ts';
import { measureContact } from './contact.ts';
import { publishReport } from './harness/report.ts';
import { measurePages } from './pages.ts';

const benchmarks = { pages: measurePages, contact: measureContact };
type Name = keyof typeof benchmarks;

const USAGE = `Usage: npm run bench -- [NAME...] [--quick]

NAME is pages or contact; both by default.
  --quick  one short run of each, to check that it works`;

const isName = (text: string): text is Name => Object.hasOwn(benchmarks, text);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
const names = positionals.length > 0 ? positionals.filter(isName) : Object.keys(benchmarks).filter(isName);
const cleanups: Array<() => unknown> = [];

/** Runs the cleanups in reverse order, even if one fails. Otherwise processes would keep running. */
async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await Promise.resolve().then(cleanup).catch(console.error);
}

async function run(): Promise<void> {
  await ensurePrerequisites(['wrk', 'redis-server']);
  await ensureBuilt();
  for (const name of names) {
    const blocks = await benchmarks[name]({ isQuick: values.quick, onCleanup: (cleanup) => cleanups.push(cleanup) });
    publishReport(name, blocks);
    await cleanUp();
  }
}

if (values.help || names.length < positionals.length) {
  console.error(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  let stopped: Promise<never> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Ctrl-C sends two signals, one from the terminal and one from npm. Only the first starts the cleanup.
      stopped ??= cleanUp().then(() => process.exit(128 + constants.signals[signal]));
    });
  }
  try {
    await run();
  } finally {
    await cleanUp();
  }
}
