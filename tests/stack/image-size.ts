import assert from 'node:assert/strict';

/**
 * The size of the base image, debian:bookworm-slim for amd64, as published. It isn't measured, because the offline
 * stand-in has another base image (212 MB).
 */
const DEBIAN_SLIM_BYTES = 75e6;

/**
 * Returns the size of an image: the base image and the layers of our own build, uncompressed, in bytes.
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
