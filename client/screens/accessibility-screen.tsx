import type { PageMeta } from '../../shared/content/page-meta.ts';
import Text, { frontmatter, tableOfContents } from '../../shared/content/legal/accessibility.mdx';
import { LegalPage } from './legal/legal-page.tsx';

export function Screen() {
  return <LegalPage frontmatter={frontmatter} headings={tableOfContents} Text={Text} />;
}

export function getMeta(): PageMeta {
  return frontmatter;
}
