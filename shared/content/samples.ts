import type { Content } from './content-schema.ts';

/** Returns the line numbers of sample copy, one text per file: `content/site.yaml: lines 43, 57`. */
export function describeSamples(samples: Content['samples']): string[] {
  return Object.entries(samples).map(
    ([file, lines]) => `${file}: ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`,
  );
}
