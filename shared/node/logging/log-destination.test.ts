import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const destinationFile = new URL('log-destination.ts', import.meta.url).href;

/** Lines that a process writes which does this, and how it ended. */
async function runWriter(script: string) {
  const program = `
    import { createLogDestination } from ${JSON.stringify(destinationFile)};
    const destination = createLogDestination(1, () => undefined, true);
    ${script}`;
  const ended = run(process.execPath, ['--input-type=module', '--eval', program]);
  const { stdout, code } = await ended.then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );

  return { lines: stdout.split('\n').filter((line) => line !== ''), code };
}

test('gathered lines are written in their order, those with signs beyond ASCII too', async () => {
  const { lines } = await runWriter(`
    for (const line of ['one', 'zwölf', '三']) destination.write(line + '\\n');
    setTimeout(() => destination.write('later\\n'), 20);`);

  expect(lines).toEqual(['one', 'zwölf', '三', 'later']);
});

test('a process that exits in the turn of a gathered line has written it', async () => {
  const { lines, code } = await runWriter("destination.write('last\\n'); process.exit(3);");

  expect([lines, code]).toEqual([['last'], 3]);
});

test('a process that ends by an error has written the gathered lines', async () => {
  const { lines, code } = await runWriter("destination.write('last\\n'); throw new Error('end');");

  expect([lines, code]).toEqual([['last'], 1]);
});
