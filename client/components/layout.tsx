import type { ReactNode } from 'react';
import { anchors } from '../../shared/content/anchors.ts';
import { Footer } from './footer.tsx';
import { Header } from './header.tsx';
import { SkipLink } from './skip-link.tsx';

/** What every page has around it. */
export function Layout({ children }: { children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <Header />
      <main id={anchors.main} tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </>
  );
}
