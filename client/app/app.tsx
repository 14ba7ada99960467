// First, so that the order of the cascade layers is set before a component's styles come.
import '../styles/index.css';
// Here, because Vite can't `@import` a virtual module from a style sheet.
import 'virtual:fonts.css';
import 'virtual:brand.css';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { anchors, salesPrefix } from '../../shared/paths.ts';
import type { PageState } from '../../shared/page-state.ts';
import { Footer } from '../components/footer.tsx';
import { Header, SkipLink, ToolHeader } from '../components/header.tsx';
import { PageStateProvider } from './page-state.tsx';

/** Markup of the contents of header and footer. */
export interface FrameMarkup {
  readonly header: string | undefined;
  readonly footer: string | undefined;
}

interface AppProps {
  readonly state: PageState;
  /** Where the server has rendered it before; the browser hydrates what it finds, as any other markup. */
  readonly frame?: FrameMarkup;
  /** The screen. */
  readonly children: ReactNode;
}

/** The whole page; a router has to be around it. */
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
