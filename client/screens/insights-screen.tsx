import { insightsPage } from '#content/insights-page';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { fillSitePlaceholders, type Site } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { PageHero } from '../components/page-hero.tsx';
import { InsightsContent } from '../features/insights/insights-content.tsx';
import { NewsletterBox } from '../features/newsletter/newsletter-box.tsx';

export function Screen() {
  const site = useSite();

  const { headline, description, closing, ctaLabel } = insightsPage;

  return (
    <>
      <PageHero title={headline} description={fillSitePlaceholders(description, site)} />
      <InsightsContent />
      <NewsletterBox />
      <CallToAction heading={closing.title} text={fillSitePlaceholders(closing.text, site)} buttonLabel={ctaLabel} />
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).insights;
}
