import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const module = JSON.stringify(import.meta.resolve('./progress.mjs'));

/** Runs two steps, the second of which fails, in a process of its own; returns what it wrote on standard error. */
async function runSteps({ isTerminal }: { isTerminal: boolean }): Promise<string> {
  const program = `process.stderr.isTTY = ${isTerminal}; process.stderr.columns = 30;
    const { showStep, printLines } = await import(${module});
    await showStep('Building the site', async () => printLines('A warning.'));
    await showStep('Installing what is missing', () => Promise.reject(new Error('no'))).catch(() => undefined);`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);

  return stderr;
}

test('outside a terminal a step has a line at its start and one with its seconds at its end', async () => {
  expect(await runSteps({ isTerminal: false })).toMatch(
    /^Building the site …\nA warning\.\nBuilding the site: \d\.\d s\nInstalling what is missing …\nInstalling what is missing: failed after \d\.\d s\n$/,
  );
});

test('in a terminal the line of a running step is replaced, and never longer than the terminal is wide', async () => {
  const CLEAR = '\r\x1b[K';
  const output = await runSteps({ isTerminal: true });

  expect(output.split(CLEAR)).toEqual([
    '',
    'Building the site … 0 s',
    'A warning.\n',
    'Building the site … 0 s',
    expect.stringMatching(/^Building the site: \d\.\d s\n$/),
    'Installing what is missing … ',
    expect.stringMatching(/^Installing what is missing: failed after \d\.\d s\n$/),
  ]);
});
