// Plain JavaScript without dependencies: setup.mjs uses it before any package is installed.

/** On standard error, as progress is no result: `npm run ops` may be piped. */
const stream = process.stderr;

/**
 * The steps under way, with the times of their starts.
 * @type {Map<string, number>}
 */
const running = new Map();
/** @type {NodeJS.Timeout | undefined} */
let timer;

/** @param {number} startedAt */
const getSeconds = (startedAt) => (performance.now() - startedAt) / 1000;

function clearLine() {
  if (stream.isTTY) stream.write('\r\x1b[K');
}

/** Draws the one line with all steps under way, cut to the terminal's width: a second line could not be cleared. */
function drawLine() {
  if (!stream.isTTY || running.size === 0) return;
  const line = [...running].map(([name, startedAt]) => `${name} … ${getSeconds(startedAt).toFixed(0)} s`).join(', ');
  stream.write(`\r\x1b[K${line.slice(0, (stream.columns || 80) - 1)}`);
}

/**
 * Prints lines on standard error, above the line of the steps under way.
 * @param {string} text
 */
export function printLines(text) {
  clearLine();
  stream.write(text.endsWith('\n') ? text : `${text}\n`);
  drawLine();
}

/**
 * Runs `work` as a step that the user waits for. A terminal shows its seconds as they pass; elsewhere it has a
 * line at its start. At its end both have a line with the seconds that it took. Steps may overlap.
 * @template Result
 * @param {string} name such as "Installing dependencies"
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws what `work` throws
 */
export async function showStep(name, work) {
  const startedAt = performance.now();
  let result = 'failed after ';
  running.set(name, startedAt);
  if (stream.isTTY) timer ??= setInterval(drawLine, 1_000).unref();
  else printLines(`${name} …`);
  drawLine();
  try {
    const value = await work();
    result = '';

    return value;
  } finally {
    running.delete(name);
    printLines(`${name}: ${result}${getSeconds(startedAt).toFixed(1)} s`);
    if (running.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }
}
