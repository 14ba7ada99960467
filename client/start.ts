import { readPageData } from './app/page-data.ts';
import { storeVisitSource } from './app/visit-source.ts';

/**
 * Milliseconds in which a slow phone too has painted what has loaded. Lighthouse counts every script
 * that arrives before the largest paint as if it delayed it.
 */
const PAINT_TIME = 250;
/** Signs that the visitor does something the scripts may have a part in. */
const SIGNS_OF_INTENT = ['pointerdown', 'keydown'];

/** Resolves when the page has loaded and was painted, or earlier when the visitor acts. */
function waitUntilShown(): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => setTimeout(resolve, PAINT_TIME);
    if (document.readyState === 'complete') settle();
    else addEventListener('load', settle, { once: true });
    for (const sign of SIGNS_OF_INTENT) addEventListener(sign, () => resolve(), { once: true });
  });
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
  storeVisitSource();
  await waitUntilShown();
  const data = readPageData();
  data.scripts.forEach(preload);
  const { hydratePage } = await import('./app/hydrate-page.tsx');
  await hydratePage(data);
}

void startPage();
