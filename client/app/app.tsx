// Must be imported first, because it sets the order of the cascade layers.
import '../styles/index.css';
// Vite can't `@import` a virtual module from a style sheet.
import 'virtual:fonts.css';
import 'virtual:brand.css';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { anchors, salesPrefix } from '../../shared/paths.ts';
import type { PageState } from '../../shared/page-state.ts';
import { Footer } from '../components/footer.tsx';
import { Header, SkipLink, ToolHeader } from '../components/header.tsx';
import { PageStateProvider } from './page-state.tsx';

/** Rendered HTML of the header and footer. */
export interface FrameMarkup {
  readonly header: string | undefined;
  readonly footer: string | undefined;
}

interface AppProps {
  readonly state: PageState;
  /** Set only on the server, which renders the header and footer once per screen. */
  readonly frame?: FrameMarkup;
  readonly children: ReactNode;
}

/** The whole page. Must be rendered inside a router. */
export function App({ state, frame, children }: AppProps) {
  const isTool = useLocation().pathname.startsWith(salesPrefix) && !state.isNotFound;

  return (
    <PageStateProvider value={state}>
      <SkipLink />
      {isTool ? <ToolHeader /> : <Header markup={frame?.header} />}
      <main id={anchors.main} tabIndex={-1}>
        {children}
      </main>
      {!isTool && <Footer markup={frame?.footer} />}
    </PageStateProvider>
  );
}
