import assert from 'node:assert/strict';

/**
 * The size of the base image, debian:bookworm-slim for amd64, as published. It isn't measured, because the offline
 * stand-in uses a different base image (212 MB).
 */
const DEBIAN_SLIM_BYTES = 75e6;

/**
 * Returns an image's uncompressed size in bytes: the base image plus the layers of our own build.
 * @param runDocker runs `docker` with the arguments and returns its output
 * @param image name or id of the image
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
