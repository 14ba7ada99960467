import assert from 'node:assert/strict';

/**
 * What is measured is what our own build adds to its base, as Docker counts it (uncompressed), plus
 * this: the size of debian:bookworm-slim for amd64 as published. The base itself isn't measured,
 * because the offline stand-in's is another one (212 MB).
 */
const DEBIAN_SLIM_BYTES = 75e6;

/**
 * Bytes of an image on disk.
 * @param runDocker runs `docker` with the arguments and returns its output
 * @param image its name or id
 */
export async function measureImage(
  runDocker: (...args: string[]) => Promise<string>,
  image: string,
): Promise<number> {
  const format = ['--human=false', '--format', '{{.Size}} {{.Comment}}'];
  const layers = await runDocker('history', ...format, image);
  const own = layers.split('\n').filter((line) => line.includes('buildkit'));
  assert.notEqual(own.length, 0, layers);

  return own.reduce((sum, line) => sum + Number.parseInt(line, 10), DEBIAN_SLIM_BYTES);
}
