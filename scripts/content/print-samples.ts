import type { Content } from '../../shared/content/content-schema.ts';
import { describeSamples } from '../../shared/content/samples.ts';

/** Prints the places in the content that still have sample copy. */
export function printSamples({ samples }: Content): void {
  const lines = describeSamples(samples);
  if (lines.length > 0) console.log(`Still sample copy (sample: true):\n  ${lines.join('\n  ')}`);
}
