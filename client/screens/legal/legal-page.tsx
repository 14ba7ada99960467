import type { ComponentType } from 'react';
import type { LegalFrontMatter } from '../../../shared/content/front-matter.ts';
import { getResponsePromise } from '../../../shared/site.ts';
import { useSite } from '../../app/page-state.tsx';
import { Day } from '../../components/day.tsx';
import { LegalEmail } from '../../components/legal-email.tsx';
import { PageHero } from '../../components/page-hero.tsx';
import { Prose, TextColumns } from '../../components/prose.tsx';
import { TableOfContents, type Heading } from '../../components/table-of-contents.tsx';

/** The settings a legal text may name. */
const legalComponents = {
  SiteName: () => useSite().name,
  LegalEntity: () => useSite().legalEntity,
  PublicUrl: () => useSite().publicUrl,
  ResponsePromise: () => getResponsePromise(useSite(), 'full'),
  LegalEmail,
} as const satisfies Record<string, ComponentType>;

/** What a legal text is rendered with. */
export type LegalComponents = typeof legalComponents;

interface LegalPageProps {
  readonly frontmatter: LegalFrontMatter;
  readonly headings: readonly Heading[];
  readonly Text: ComponentType<{ components: LegalComponents }>;
}

/** A legal text in numbered sections, with a table of contents beside it. */
export function LegalPage({ frontmatter: { title, updatedOn }, headings, Text }: LegalPageProps) {
  return (
    <>
      <PageHero
        title={title}
        description={
          <>
            Last updated on <Day date={updatedOn} />
          </>
        }
      />
      <TextColumns contents={<TableOfContents headings={headings} isNumbered />}>
        <Prose isNumbered>
          <Text components={legalComponents} />
        </Prose>
      </TextColumns>
    </>
  );
}
