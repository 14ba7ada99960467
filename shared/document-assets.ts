import type { PageState } from './page-state.ts';

/** A built file that a document names together with the hash of what it has to be. */
export interface CheckedFile {
  readonly url: string;
  /** Subresource Integrity; none while developing. */
  readonly integrity: string | undefined;
}

/** The built files a document refers to. */
export interface DocumentAssets {
  /** Rules of the first view, which the document carries itself, by its markup; none while developing. */
  readonly pickCriticalStyles: ((markup: string) => string) | undefined;
  /** The other rules; none while developing. */
  readonly styleSheet: CheckedFile | undefined;
  /** The rules of vignettes, and which bodies have one; none while developing. */
  readonly vignetteSheet: (CheckedFile & { readonly isFor: (body: string) => boolean }) | undefined;
  /** The script that starts all others. */
  readonly startScript: CheckedFile;
  /** URLs of a screen's scripts, by its file below the Vite root. */
  readonly findScreenScripts: (file: string) => readonly string[];
  /** URL of the picture shown where a link to the page is shared, by its path. */
  readonly findSharingPicture: (path: string) => string | undefined;
}

/** What the server hands to the renderer for one document. */
export interface RenderInput {
  /** Canonical path with the query values the page knows; nothing else of the request. */
  readonly location: string;
  readonly state: PageState;
  readonly assets: DocumentAssets;
}

/** Rules of the first view as the build leaves them for the server. */
export interface CriticalStyles {
  /** Fonts, tokens, elements: of every document. */
  readonly forAll: string;
  /** The layer the others belong to. */
  readonly layer: string;
  /** Each with the classes one of which a document must have to need it. */
  readonly byClass: readonly { readonly classes: readonly string[]; readonly css: string }[];
  /** The sheet of the vignettes' rules, below the client build's folder, and their classes. */
  readonly vignettes: { readonly file: string; readonly classes: readonly string[] };
}
