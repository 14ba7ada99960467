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

/** URLs of what a screen needs besides the entry: its chunk with what that imports, its styles. */
export interface ScreenAssets {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** What the server hands to the renderer for one document. */
export interface RenderInput {
  /** Canonical path with the query values the page knows; nothing else of the request. */
  readonly location: string;
  readonly state: PageState;
  /** Chunks and styles of each screen, by its file below the Vite root. */
  readonly findAssets: (file: string) => ScreenAssets;
}
