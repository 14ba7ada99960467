import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';

const destinationFile = new URL('log-destination.ts', import.meta.url).href;

/**
 * Runs a process that does this with a buffered destination.
 * @param readAfter milliseconds until its output is read
 */
async function runWriter(script: string, readAfter: number | 'never' = 0) {
  const program = `
    import { createLogDestination } from ${JSON.stringify(destinationFile)};
    const destination = createLogDestination((count) => console.error(count), true);
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let output = '';
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  if (readAfter !== 'never') {
    await wait(readAfter);
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(child, 'close');
  }
  const [code] = (await exited) as [number];

  return { lines: output.split('\n').filter((line) => line !== ''), errors, code };
}

test('buffered lines are written in their order, those beyond ASCII too', async () => {
  const { lines } = await runWriter(`
    for (const line of ['one', 'zwölf', '三']) destination.write(line + '\\n');
    setTimeout(() => destination.write('later\\n'), 20);`);

  expect(lines).toEqual(['one', 'zwölf', '三', 'later']);
});

test('a process that exits in the turn of a buffered line has written it', async () => {
  const { lines, code } = await runWriter("destination.write('last\\n'); process.exit(3);");

  expect([lines, code]).toEqual([['last'], 3]);
});

test('a process that ends by an error has written the buffered lines', async () => {
  const { lines, code } = await runWriter("destination.write('last\\n'); throw new Error('end');");

  expect([lines, code]).toEqual([['last'], 1]);
});

/** Writes 2,000 numbered lines of 400 bytes, more than a pipe and its reader buffer, in fifty turns. */
const writeMany = `
  let next = 0;
  const timer = setInterval(() => {
    for (let i = 0; i < 40; i += 1) destination.write(String(next++).padStart(399, '0') + '\\n');
    if (next === 2000) clearInterval(timer);
  }, 1);`;

test('a reader that was slow gets every line in order, also of a process that has exited meanwhile', async () => {
  const { lines, code } = await runWriter(`${writeMany} setTimeout(() => process.exit(3), 500);`, 1_000);

  expect(lines.map(Number)).toEqual(Array.from({ length: 2_000 }, (_, index) => index));
  expect(code).toBe(3);
});

test('a reader that hangs does not delay the event loop, and the exit by about a second', async () => {
  const startedAt = performance.now();
  const { errors, code } = await runWriter(
    `${writeMany}
    let latest = performance.now();
    let delay = 0;
    setInterval(() => {
      delay = Math.max(delay, performance.now() - latest);
      latest = performance.now();
    }, 5);
    setTimeout(() => {
      console.error(delay < 500);
      process.exit(3);
    }, 500);`,
    'never',
  );

  expect([errors.trim(), code]).toEqual(['true', 3]);
  expect(performance.now() - startedAt).toBeGreaterThan(1_500);
});

test('lines are dropped once a megabyte is buffered, and counted when a reader is back', async () => {
  const { lines, errors } = await runWriter(
    `const line = 'x'.repeat(999) + '\\n';
    for (let i = 0; i < 1500; i += 1) destination.write(line);
    setTimeout(() => undefined, 1_500);`,
    700,
  );

  expect(lines.length).toBeGreaterThan(1_000);
  expect(Number(errors)).toBe(1_500 - lines.length);
});
