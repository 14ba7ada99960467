// Plain JavaScript without dependencies, because setup.mjs uses it before installing packages.

/**
 * Runs `work` and prints its name and duration to standard error.
 * @template Result
 * @param {string} name such as "Installing dependencies"
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
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
