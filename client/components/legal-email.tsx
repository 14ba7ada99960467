import { makeMailtoUrl, parseMailAddress } from '../../shared/mailbox.ts';
import { useSite } from '../app/page-state.tsx';

/** The site's legal email address as a link. */
export function LegalEmail() {
  const { legalEmail } = useSite();

  return <a href={makeMailtoUrl(legalEmail)}>{parseMailAddress(legalEmail)}</a>;
}
