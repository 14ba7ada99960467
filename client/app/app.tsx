// First, so that the order of the cascade layers is set before a component's styles come.
import '../styles/index.css';
// Here, because Vite can't `@import` a virtual module from a style sheet.
import 'virtual:fonts.css';
import 'virtual:accents.css';
import { Suspense, use, ViewTransition, type ReactNode } from 'react';
import { Navigate, Route, Routes, useLocation, useParams } from 'react-router-dom';
import { findIndustryBySlug } from '../../shared/content/industries.ts';
import { anchors, pathTo, routePatterns } from '../../shared/paths.ts';
import type { PageState } from '../../shared/page-state.ts';
import { Footer } from '../components/footer.tsx';
import { Header, SkipLink } from '../components/header.tsx';
import { NavigationEffects } from './navigation-effects.tsx';
import { PageStateProvider, useIsNotFound } from './page-state.tsx';
import { getLoadedScreen, loadShownScreen, notFoundScreen, screenRoutes } from './screen-registry.ts';

function ScreenView({ file }: { file: string }) {
  const { pathname } = useLocation();
  const screen = { file, params: useParams() };
  const { Screen } = getLoadedScreen(screen) ?? use(loadShownScreen(screen));

  // Two pages of one screen share no state; a page that only changes its own address doesn't fade.
  return (
    <ViewTransition key={pathname} update="none">
      <Screen />
    </ViewTransition>
  );
}

function IndustryRedirect() {
  const industry = findIndustryBySlug(useParams()['*'] ?? '');

  return <Navigate replace to={pathTo.contact({ industry: industry?.option })} />;
}

function AppRoutes() {
  if (useIsNotFound()) return <ScreenView file={notFoundScreen.file} />;

  return (
    <Routes>
      <Route path={routePatterns.industry} element={<IndustryRedirect />} />
      {screenRoutes.map(({ pattern, file }) => (
        <Route key={pattern} path={pattern} element={<ScreenView file={file} />} />
      ))}
      <Route path="*" element={<ScreenView file={notFoundScreen.file} />} />
    </Routes>
  );
}

/** Markup of the contents of header and footer. */
export interface FrameMarkup {
  readonly header: string | undefined;
  readonly footer: string | undefined;
}

/** The frame of every page. */
function Layout({ frame, children }: { frame: FrameMarkup | undefined; children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <Header markup={frame?.header} />
      <main id={anchors.main} tabIndex={-1}>
        {children}
      </main>
      <Footer markup={frame?.footer} />
    </>
  );
}

interface AppProps {
  readonly state: PageState;
  /** Where the server has rendered it before; the browser hydrates what it finds, as any other markup. */
  readonly frame?: FrameMarkup;
}

/** The whole page for the current location; a router has to be around it. */
export function App({ state, frame }: AppProps) {
  return (
    <PageStateProvider value={state}>
      <Layout frame={frame}>
        <Suspense>
          <AppRoutes />
        </Suspense>
      </Layout>
      {/* Last, so that menus have closed and a page behind them can take the focus. */}
      <NavigationEffects />
    </PageStateProvider>
  );
}
