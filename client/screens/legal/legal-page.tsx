import type { ComponentType } from 'react';
import type { LegalFrontMatter } from '../../../shared/content/front-matter.ts';
import { Day } from '../../components/day.tsx';
import { PageHero } from '../../components/page-hero.tsx';
import { Prose } from '../../components/prose.tsx';
import { TableOfContents, type Heading } from '../../components/table-of-contents.tsx';
import { TextColumns } from '../../components/text-columns.tsx';
import { legalComponents, type LegalComponents } from './legal-components.tsx';

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
