import type { ComponentType } from 'react';
import type { LegalFrontMatter } from '../../../shared/content/front-matter.ts';
import { Day } from '../../components/day.tsx';
import { PageHero } from '../../components/page-hero.tsx';
import { Prose } from '../../components/prose.tsx';
import { TableOfContents, type Heading } from '../../components/table-of-contents.tsx';
import { legalComponents, type LegalComponents } from './legal-components.tsx';
import styles from './legal-page.module.css';

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
      <div className={styles.columns}>
        <div className={styles.contents}>
          <TableOfContents headings={headings} isNumbered />
        </div>
        <Prose isNumbered>
          <Text components={legalComponents} />
        </Prose>
      </div>
    </>
  );
}
