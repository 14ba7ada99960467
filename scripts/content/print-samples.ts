import type { Content } from '../../shared/content/content-schema.ts';
import { describeSamples } from '../../shared/content/samples.ts';
import { readContent } from './load-content.ts';

/** Prints where content still has sample copy. */
export function showSamples(samples: Content['samples']): void {
  const lines = describeSamples(samples);
  if (lines.length > 0) console.log(`Still sample copy (sample: true):\n  ${lines.join('\n  ')}`);
}

/** Prints where a build still has sample copy. */
export async function printSamples(folder: string): Promise<void> {
  showSamples((await readContent(folder)).samples);
}
