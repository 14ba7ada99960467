import type { Page, PageKind } from '../../shared/node/content/list-pages.ts';
import type { Site } from '../../shared/site.ts';

const sections: readonly { readonly heading: string; readonly kinds: readonly PageKind[] }[] = [
  { heading: 'Solutions', kinds: ['solution'] },
  { heading: 'Articles', kinds: ['article'] },
  { heading: 'Company', kinds: ['page', 'listing', 'legal'] },
];

/** Keeps a name from being read as Markdown; line breaks would end its line. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>]/g, '\\$&').replace(/\s+/g, ' ');
}

/**
 * The site in a form for language models (https://llmstxt.org): its name, one sentence about it,
 * and every page with its description.
 */
export function writeLlmsText(site: Site, pages: readonly Page[]): string {
  const summary = pages.find(({ kind }) => kind === 'home')?.meta.description ?? '';
  const writeLink = ({ path, meta }: Page) =>
    `- [${escapeMarkdown(meta.title)}](${site.publicUrl}${path}): ${escapeMarkdown(meta.description)}`;

  return [
    `# ${escapeMarkdown(site.name)}`,
    `> ${escapeMarkdown(summary)}`,
    ...sections.map(({ heading, kinds }) => {
      const links = pages.filter(({ kind }) => kinds.includes(kind)).map(writeLink);

      return `## ${heading}\n\n${links.join('\n')}`;
    }),
  ]
    .join('\n\n')
    .concat('\n');
}
