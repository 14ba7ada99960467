import type { FieldErrors, TypedContactFields } from './contact/contact-schema.ts';
import type { Site } from './site.ts';

/** Answer to a contact form that was posted without JavaScript. */
export interface ContactFormResult {
  readonly values: TypedContactFields;
  readonly errors: FieldErrors;
  /** Whole sentence of the red banner. */
  readonly banner?: string;
}

/** What the page behind a 'Mark as contacted' link shows. */
export interface FollowUpState {
  readonly company: string;
  readonly isContacted: boolean;
}

/** What the server tells the first page; travels to the browser as a JSON data block. */
export interface PageState {
  readonly site: Site;
  /** The path has no page: the not-found screen is shown whatever the URL matches. */
  readonly isNotFound: boolean;
  readonly contactFormResult?: ContactFormResult;
  readonly followUp?: FollowUpState;
}

/** The built files a document refers to. */
export interface DocumentAssets {
  /** Rules of the first view, which the document carries itself; none while developing. */
  readonly criticalStyles: string | undefined;
  /** URL of the other rules; none while developing. */
  readonly styleSheet: string | undefined;
  /** URL of the script that starts all others. */
  readonly startScript: string;
  /** URLs of a screen's scripts and of its text's, by their files below the Vite root. */
  readonly findScreenScripts: (file: string, textFile?: string) => readonly string[];
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
