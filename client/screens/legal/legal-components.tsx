import type { ComponentProps, ComponentType } from 'react';
import { Link } from 'react-router-dom';
import { readMailAddress, toMailtoUrl } from '../../../shared/mailbox.ts';
import { useSite } from '../../app/page-state.tsx';

/** A link of the text: to a page of ours without loading a document. */
function TextLink({ href = '', children }: ComponentProps<'a'>) {
  return href.startsWith('/') ? <Link to={href}>{children}</Link> : <a href={href}>{children}</a>;
}

/** The settings a legal text may name, and its links. */
export const legalComponents = {
  a: TextLink,
  SiteName: () => useSite().name,
  LegalEntity: () => useSite().legalEntity,
  PublicUrl: () => useSite().publicUrl,
  LegalEmail: () => {
    const { legalEmail } = useSite();

    return <a href={toMailtoUrl(legalEmail)}>{readMailAddress(legalEmail)}</a>;
  },
} as const satisfies Record<string, ComponentType<ComponentProps<'a'>>>;

export type LegalComponents = typeof legalComponents;
