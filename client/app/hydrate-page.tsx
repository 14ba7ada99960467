import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { routePatterns } from '../../shared/paths.ts';
import { App } from './app.tsx';
import { isElsewhere, type PageData } from './page-data.ts';
import { nameCurrentEntry } from './scroll-positions.ts';
import { loadServedScreen, matchScreen, notFoundScreen } from './screen-registry.ts';

/** Hydrates the server's page, once what its screen needs is loaded, unless the visitor has left it meanwhile. */
export async function hydratePage({ state, screenData }: PageData): Promise<void> {
  const root = document.getElementById('root');
  if (!root) throw new Error('The document has no #root.');

  // The response to a plain post of the newsletter box is the page the box is on, under an address
  // of its own.
  const pathname = state.newsletterFormResult ? routePatterns.insights : location.pathname;
  const screen = state.isNotFound ? notFoundScreen : matchScreen(pathname);
  await loadServedScreen(screen, screenData);
  // The page of the address is being loaded (`start.ts`).
  if (isElsewhere()) return;

  if (state.newsletterFormResult) history.replaceState(null, '', pathname);
  nameCurrentEntry();
  // In a transition React yields between its steps: a touch is handled at once.
  startTransition(() => {
    hydrateRoot(
      root,
      <BrowserRouter>
        <App state={state} />
      </BrowserRouter>,
    );
  });
}
