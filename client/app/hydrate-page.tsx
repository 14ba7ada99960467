import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { routePatterns } from '../../shared/paths.ts';
import { App } from './app.tsx';
import type { PageData } from './page-data.ts';
import { loadScreen, matchScreen } from './screen-registry.ts';

/** Hydrates the server's page once its screen is loaded. */
export async function hydratePage({ state, screenData }: PageData): Promise<void> {
  const root = document.getElementById('root');
  if (!root) throw new Error('The document has no #root.');

  // The response to a plain post of the newsletter box is the page the box is on, under an address of its own.
  if (state.newsletterFormResult) history.replaceState(null, '', routePatterns.insights);
  const { Screen } = await loadScreen(matchScreen(location.pathname, state.isNotFound).file);
  // In a transition React yields between its steps: a touch is handled at once.
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
