import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../scripts/processes.ts';
import type { Environment } from './pinned-process.ts';

/**
 * What the image sets for each of its processes, from the Dockerfile: NODE_ENV and how memory is
 * dealt with.
 * @throws when the Dockerfile has no such line
 */
export function readImageEnvironment(): Environment {
  const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
  const [, line] = /^FROM debian AS runtime$[^]*?^ENV (.+)$/m.exec(dockerfile) ?? [];
  if (line === undefined) throw new Error('The Dockerfile’s runtime has no ENV.');

  const settings = line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g);

  return Object.fromEntries(
    [...settings].map(([, name = '', quoted, plain = '']) => [name, quoted ?? plain]),
  );
}
