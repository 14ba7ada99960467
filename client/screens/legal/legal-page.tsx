import type { ComponentType } from 'react';
import type { LegalFrontMatter } from '../../../shared/content/content-schema.ts';
import type { PageMeta } from '../../../shared/content/page-meta.ts';
import { getResponsePromise } from '../../../shared/site.ts';
import { useSite } from '../../app/page-state.tsx';
import { Day } from '../../components/byline.tsx';
import { LegalEmail } from '../../components/legal-email.tsx';
import { PageHero } from '../../components/page-hero.tsx';
import { Prose, TextColumns } from '../../components/prose.tsx';
import { TableOfContents, type Heading } from '../../components/table-of-contents.tsx';

/** Components that insert settings into legal texts. */
const legalComponents = {
  SiteName: () => useSite().name,
  LegalEntity: () => useSite().legalEntity,
  PublicUrl: () => useSite().publicUrl,
  ResponsePromise: () => getResponsePromise(useSite(), 'full'),
  LegalEmail,
} as const satisfies Record<string, ComponentType>;

export type LegalComponents = typeof legalComponents;

interface LegalText {
  readonly frontmatter: LegalFrontMatter;
  readonly tableOfContents: readonly Heading[];
  readonly default: ComponentType<{ components: LegalComponents }>;
}

/** Returns the screen for a legal text, with numbered sections and a table of contents. */
export function makeLegalScreen({ frontmatter, tableOfContents, default: Text }: LegalText) {
  function Screen() {
    return (
      <>
        <PageHero
          title={frontmatter.title}
          description={
            <>
              Last updated on <Day date={frontmatter.updatedOn} />
            </>
          }
        />
        <TextColumns contents={<TableOfContents headings={tableOfContents} isNumbered />}>
          <Prose isNumbered>
            <Text components={legalComponents} />
          </Prose>
        </TextColumns>
      </>
    );
  }

  return { Screen, getMeta: (): PageMeta => frontmatter };
}
