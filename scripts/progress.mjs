// Plain JavaScript without dependencies: setup.mjs uses it before any package is installed.

/**
 * Runs `work` as a step that the user waits for, with a line at its start and one with its seconds at its end.
 * Progress goes to standard error, because the output of `npm run ops` may be piped.
 * @template Result
 * @param {string} name such as "Installing dependencies"
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws what `work` throws
 */
export async function showStep(name, work) {
  const startedAt = performance.now();
  console.error(`${name} …`);
  let result = 'failed after ';
  try {
    const value = await work();
    result = '';
    return value;
  } finally {
    console.error(`${name}: ${result}${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
}
