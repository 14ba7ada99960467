import type { PageState } from './page-state.ts';

/** A built file with its expected hash. */
export interface CheckedFile {
  readonly url: string;
  /** Subresource Integrity. Undefined during development. */
  readonly integrity: string | undefined;
}

/** The built files a document refers to. */
export interface DocumentAssets {
  /** Returns the first-view CSS for the given HTML, to be inlined. Undefined during development. */
  readonly pickCriticalStyles: ((markup: string) => string) | undefined;
  /** The remaining CSS. Undefined during development. */
  readonly styleSheet: CheckedFile | undefined;
  /** The vignettes' CSS and a test for pages that need it. Undefined during development. */
  readonly vignetteSheet: (CheckedFile & { readonly isFor: (body: string) => boolean }) | undefined;
  /** The script that loads all other scripts. */
  readonly startScript: CheckedFile;
  /** Returns the URLs of a screen's scripts. @param file path below the Vite root */
  readonly findScreenScripts: (file: string) => readonly string[];
  /** Returns the URL of a page's sharing picture. @param path the page's path */
  readonly findSharingPicture: (path: string) => string | undefined;
}

/** The renderer's input for one document. */
export interface RenderInput {
  /** Canonical path and known query parameters, and nothing else from the request. */
  readonly location: string;
  readonly state: PageState;
  readonly assets: DocumentAssets;
}

/** First-view CSS, as the build writes it for the server. */
export interface CriticalStyles {
  /** Fonts, tokens and elements, for every document. */
  readonly forAll: string;
  /** Cascade layer for the other rules. */
  readonly layer: string;
  /** Rules that a document needs only if it contains one of their classes. */
  readonly byClass: readonly { readonly classes: readonly string[]; readonly css: string }[];
  /** The vignettes' style sheet, relative to the client build, and its classes. */
  readonly vignettes: { readonly file: string; readonly classes: readonly string[] };
}
