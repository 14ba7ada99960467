import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { getResponsePromise, type Site } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { PageHero } from '../components/page-hero.tsx';
import { InsightsContent } from '../features/insights/insights-content.tsx';
import { NewsletterBox } from '../features/newsletter/newsletter-box.tsx';

export function Screen() {
  const site = useSite();

  return (
    <>
      <PageHero
        title="Insights"
        description="Practical reading for owners and finance leaders who decide where AI goes to work, and where it does not."
      />
      <InsightsContent />
      <NewsletterBox />
      <CallToAction
        heading="Rather talk about your own case?"
        text={`Ask us about it in a few lines. A person answers ${getResponsePromise(site)}.`}
        buttonLabel="Get Your Free Assessment"
      />
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).insights;
}
