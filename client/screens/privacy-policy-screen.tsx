import type { PageMeta } from '../app/page-meta.ts';
import { useSite } from '../app/page-state.tsx';
import { LegalPage } from './legal/legal-page.tsx';
import { makePrivacyPolicy } from './legal/privacy-policy.ts';

export function Screen() {
  return (
    <LegalPage
      title="Privacy Policy"
      description="Which data we receive when you use this website, what we do with it, and what you can ask of us."
      sections={makePrivacyPolicy(useSite())}
    />
  );
}

export function getMeta(): PageMeta {
  return {
    title: 'Privacy Policy',
    description:
      'Which data we receive when you use this website or ask for an assessment, what we do with it, how long we keep it, and what you can ask of us.',
  };
}
