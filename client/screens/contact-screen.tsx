import { contactPage } from '#content/contact-page';
import { useSearchParams } from 'react-router-dom';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { isIndustryOption } from '../../shared/contact/industry-options.ts';
import { anchors, contactQuery } from '../../shared/paths.ts';
import { fillSitePlaceholders, type Site } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import { useOnceParameter } from '../app/use-once-parameter.ts';
import { PageHero } from '../components/page-hero.tsx';
import { ResponsivePicture } from '../components/responsive-picture.tsx';
import shared from '../components/shared.module.css';
import { ContactCards, IndustryNote } from '../features/contact/contact-aside.tsx';
import { ContactForm } from '../features/contact/contact-form.tsx';
import styles from './contact-screen.module.css';
import side from '#files/pictures/contact-side.jpg?column';

const sidePicture = { landscape: side };

/** The contact page with the request form and what to expect. */
export function Screen() {
  const site = useSite();
  const [query] = useSearchParams();
  const industry = query.get(contactQuery.industry);
  const preselected = isIndustryOption(industry) ? industry : undefined;
  const isSent = useOnceParameter(contactQuery.sent);

  return (
    <>
      <PageHero
        title={contactMessages.heading}
        description={fillSitePlaceholders(contactPage.description, site)}
      />
      <div className={`${shared.page} ${styles.columns}`} id={anchors.request} tabIndex={-1}>
        <div className={styles.request}>
          <ContactForm preselected={preselected} isSent={isSent} />
          <ResponsivePicture
            className={`${styles.picture} ${shared.notPrinted}`}
            source={sidePicture}
            alt={contactPage.pictureAlt}
            sizes="(width > 48em) 44rem, 92vw"
          />
        </div>
        <aside className={styles.aside} aria-label="About the assessment">
          {preselected && <IndustryNote option={preselected} formId={anchors.request} />}
          <ContactCards />
        </aside>
      </div>
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).contact;
}
