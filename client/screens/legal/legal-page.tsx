import { useSite } from '../../app/page-state.tsx';
import { PageBody } from '../../components/page-body.tsx';
import { PageHero } from '../../components/page-hero.tsx';
import { Prose } from '../../components/prose.tsx';
import type { LegalSection } from './legal-section.ts';

interface LegalPageProps {
  readonly title: string;
  readonly description: string;
  readonly sections: readonly LegalSection[];
}

function ContactLine() {
  const { legalEntity, legalEmail } = useSite();

  return (
    <p>
      {legalEntity}, <a href={`mailto:${legalEmail}`}>{legalEmail}</a>
    </p>
  );
}

function SectionText({ section, number }: { section: LegalSection; number: number }) {
  const { heading, paragraphs, items, hasContact } = section;

  return (
    <>
      <h2>
        {number}. {heading}
      </h2>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      {items && (
        <ul>
          {items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      )}
      {hasContact && <ContactLine />}
    </>
  );
}

/** A legal text in numbered sections. */
export function LegalPage({ title, description, sections }: LegalPageProps) {
  return (
    <>
      <PageHero title={title} description={description} />
      <PageBody>
        <Prose>
          {sections.map((section, index) => (
            <SectionText key={section.heading} section={section} number={index + 1} />
          ))}
        </Prose>
      </PageBody>
    </>
  );
}
