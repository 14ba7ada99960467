import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A screenshot that differs from its reference; all pictures are WebP. */
export interface Change {
  /** `WIDTH/NAME`. */
  readonly name: string;
  /** How it differs. */
  readonly what: string;
  /** Undefined where there is no reference yet. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
  readonly difference?: Buffer;
}

const STYLES = `
  body { margin: 2rem; font-family: sans-serif; background: #ddd; }
  section { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; margin-block: 2rem; }
  h2 { grid-column: 1 / -1; margin: 0; font-size: 1rem; }
  figure { margin: 0; }
  img { max-width: 100%; border: 1px solid #888; }
`;

const KINDS = ['before', 'after', 'difference'] as const;

async function writeChange(folder: string, change: Change): Promise<string> {
  const figures: string[] = [];
  for (const kind of KINDS) {
    const picture = change[kind];
    if (!picture) continue;
    const file = `${change.name.replace('/', '-')}-${kind}.webp`;
    await writeFile(join(folder, file), picture);
    figures.push(`<figure><figcaption>${kind}</figcaption><a href="${file}"><img src="${file}" alt=""></a></figure>`);
  }

  return `<section><h2>${change.name}: ${change.what}</h2>${figures.join('')}</section>`;
}

/** Writes `index.html` with each change side by side: the reference, the screenshot, the difference. */
export async function writeReport(folder: string, changes: readonly Change[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const sorted = changes.toSorted((one, other) => one.name.localeCompare(other.name));
  const sections = await Promise.all(sorted.map((change) => writeChange(folder, change)));
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Screenshots that changed</title><style>${STYLES}</style>
<h1>${changes.length} screenshots changed</h1>
${sections.join('\n')}
</html>
`;
  await writeFile(join(folder, 'index.html'), html);
}
