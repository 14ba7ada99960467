import { readPageData } from './app/page-data.ts';

/** Resolves when the page has loaded and the browser has had the time to show it. */
async function waitUntilShown(): Promise<void> {
  if (document.readyState !== 'complete') {
    await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

function preload(script: string): void {
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.href = script;
  document.head.append(link);
}

/**
 * The page works without scripts. So they come after what is to be seen, the hero picture above
 * all, and then all at once.
 */
async function startPage(): Promise<void> {
  await waitUntilShown();
  const { state, scripts } = readPageData();
  scripts.forEach(preload);
  const { hydratePage } = await import('./app/hydrate-page.tsx');
  await hydratePage(state);
}

void startPage();
