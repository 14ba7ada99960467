import type { Content } from '../../shared/content/content-schema.ts';
import { describeSamples } from '../../shared/content/samples.ts';

/** Prints where the content still contains sample copy. */
export function printSamples({ samples }: Content): void {
  const lines = describeSamples(samples);
  if (lines.length > 0) console.log(`Still sample copy (sample: true):\n  ${lines.join('\n  ')}`);
}
