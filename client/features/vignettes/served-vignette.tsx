import type { ComponentType } from 'react';
import { readPageData } from '../../app/page-data.ts';
import { ServedPart } from '../../components/served-part.tsx';

async function appendStyles(): Promise<void> {
  const { vignetteSheet } = readPageData();
  if (vignetteSheet === undefined || document.querySelector(`link[href="${vignetteSheet}"]`)) return;

  const link = document.createElement('link');
  const loaded = new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      reject(new Error(`${vignetteSheet} could not be loaded.`));
    };
  });
  link.rel = 'stylesheet';
  link.href = vignetteSheet;
  document.head.append(link);
  await loaded;
}

let styles: Promise<void> | undefined;

/** Loads the vignettes' styles, which only documents with a vignette link. @throws when that fails */
function loadStyles(): Promise<void> {
  styles ??= appendStyles().catch((error: unknown) => {
    // The next visit tries again.
    styles = undefined;
    throw error;
  });

  return styles;
}

/**
 * A vignette of a screen, by the module that draws it. The screen's `load` has to be this one's: it is called for a
 * visitor who comes from another page, while on the page the server sent the drawing stands in the document.
 */
export function makeServedVignette(importScene: () => Promise<{ readonly Scene: ComponentType }>) {
  let Scene: ComponentType | undefined;

  return {
    load: async (): Promise<void> => {
      [{ Scene }] = await Promise.all([importScene(), import.meta.env.SSR ? undefined : loadStyles()]);
    },
    ServedVignette: () => <ServedPart>{Scene && <Scene />}</ServedPart>,
  };
}
