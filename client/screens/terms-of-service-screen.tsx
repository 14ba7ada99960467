import type { PageMeta } from '../app/page-meta.ts';
import { useSite } from '../app/page-state.tsx';
import { LegalPage } from './legal/legal-page.tsx';
import { makeTermsOfService } from './legal/terms-of-service.ts';

export function Screen() {
  return (
    <LegalPage
      title="Terms of Service"
      description="The rules for using this website and for asking us for a free assessment."
      sections={makeTermsOfService(useSite())}
    />
  );
}

export function getMeta(): PageMeta {
  return {
    title: 'Terms of Service',
    description:
      'The rules for using this website, reading its insights, and asking for a free business transformation assessment.',
  };
}
