import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { routePatterns } from '../../shared/paths.ts';
import { App } from './app.tsx';
import type { PageData } from './page-data.ts';
import { loadScreen, matchScreen } from './screen-registry.ts';

/** Loads the page's screen, then hydrates the page. */
export async function hydratePage({ state, screenData }: PageData): Promise<void> {
  const root = document.getElementById('root');
  if (!root) throw new Error('The document has no #root.');

  // Posting the newsletter form without scripts renders the insights page under the form's own URL.
  if (state.newsletterFormResult) history.replaceState(null, '', routePatterns.insights);
  const { Screen } = await loadScreen(matchScreen(location.pathname, state.isNotFound).file);
  // In a transition, React yields to the browser between steps, so it handles taps immediately.
  startTransition(() => {
    hydrateRoot(
      root,
      <BrowserRouter>
        <App state={state}>
          <Screen data={screenData} />
        </App>
      </BrowserRouter>,
    );
  });
}
