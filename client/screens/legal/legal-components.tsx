import type { ComponentProps, ComponentType } from 'react';
import { makeMailtoUrl, parseMailAddress } from '../../../shared/mailbox.ts';
import { useSite } from '../../app/page-state.tsx';
import { TextLink } from '../../components/text-link.tsx';

/** The settings a legal text may name, and its links. */
export const legalComponents = {
  a: TextLink,
  SiteName: () => useSite().name,
  LegalEntity: () => useSite().legalEntity,
  PublicUrl: () => useSite().publicUrl,
  LegalEmail: () => {
    const { legalEmail } = useSite();

    return <a href={makeMailtoUrl(legalEmail)}>{parseMailAddress(legalEmail)}</a>;
  },
} as const satisfies Record<string, ComponentType<ComponentProps<'a'>>>;

export type LegalComponents = typeof legalComponents;
