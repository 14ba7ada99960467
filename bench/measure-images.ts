import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { projectRoot } from '../scripts/processes.ts';
import { findDocker } from '../tests/stack/find-docker.ts';
import { measureImage } from '../tests/stack/image-size.ts';
import { runCommand, tryCommand } from '../tests/stack/run-command.ts';
import type { AtEnd } from './run-part.ts';

const TARGETS = ['site', 'ops', 'proxy'] as const;

export interface ImageSizes {
  /** Megabytes by the image's name. */
  readonly megabytes: ReadonlyMap<string, number>;
  /** What built them. */
  readonly engine: string;
}

/** Builds the images and measures them; undefined where there is no Docker. */
export async function measureImages(atEnd: AtEnd): Promise<ImageSizes | undefined> {
  const place = { env: { ...process.env, DOCKER_BUILDKIT: '1' }, cwd: projectRoot };
  const found = await findDocker(place.env).catch(() => undefined);
  if (!found) return undefined;
  const { programs } = found;
  if (programs !== undefined) atEnd(() => rm(programs, { recursive: true }));
  const docker = (...args: string[]) => runCommand([...found.docker, ...args], place);
  const megabytes = new Map<string, number>();
  for (const target of TARGETS) {
    const image = `website-bench-${target}:${randomUUID()}`;
    atEnd(() => tryCommand([...found.docker, 'image', 'rm', image], place));
    await docker('build', '--target', target, '--tag', image, '.');
    megabytes.set(target, (await measureImage(docker, image)) / 1e6);
  }

  return { megabytes, engine: found.name };
}
