import { createContext, useContext } from 'react';
import type { FieldErrors, TypedContactFields } from '../../shared/contact/contact-schema.ts';
import type { Site } from '../../shared/site.ts';

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

const PageStateContext = createContext<PageState | undefined>(undefined);

export const PageStateProvider = PageStateContext.Provider;

/** The state the server rendered this document with. */
export function usePageState(): PageState {
  const state = useContext(PageStateContext);
  if (!state) throw new Error('usePageState needs a PageStateProvider above it.');

  return state;
}

/** The public settings: name, legal entity, addresses. */
export function useSite(): Site {
  return usePageState().site;
}
