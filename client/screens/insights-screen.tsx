import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { articleCategories } from '../../shared/content/article-categories.ts';
import { RESPONSE_PROMISE, type Site } from '../../shared/site.ts';
import { CallToAction } from '../components/call-to-action.tsx';
import { PageHero } from '../components/page-hero.tsx';
import { PointGrid } from '../components/point-grid.tsx';
import { Section } from '../components/section.tsx';
import { NewsletterBox } from '../features/newsletter/newsletter-box.tsx';
import { TagList } from './insights/tag-list.tsx';
import { readingGuides } from './insights/insights-content.ts';

export function Screen() {
  return (
    <>
      <PageHero
        title="Insights"
        description="Practical reading for owners and finance leaders who decide where AI goes to work, and where it does not."
      />
      <Section heading="What you will read about" tone="white">
        <PointGrid points={readingGuides} />
      </Section>
      <Section
        heading="Subjects"
        lead="Every piece belongs to one of nine subjects, so you find what concerns your desk."
      >
        <TagList tags={articleCategories} />
      </Section>
      <NewsletterBox />
      <CallToAction
        heading="Rather talk about your own case?"
        text={`Ask us about it in a few lines. A person answers ${RESPONSE_PROMISE}.`}
        buttonLabel="Get Your Free Assessment"
      />
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).insights;
}
