import type { Config } from '../../shared/node/config/config.ts';
import { pass, warn, fail, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { Hour } from '../../shared/time.ts';
import { isExpiring, readSiteCertificate, type SiteCertificate } from '../../shared/node/outbound/read-certificate.ts';
import { formatTime } from '../cli/terminal.ts';

/** An authority of one's own, as with TLS=internal, may issue certificates for hours, whose end always looks close. */
const MAX_SHORT_HOURS = 72;

/** @param now milliseconds since 1970 */
export function assessCertificate(
  certificate: SiteCertificate | { readonly unreachable: string } | undefined,
  now: number,
): CheckOutcome {
  if (!certificate) return { state: 'info', detail: 'PUBLIC_URL has no HTTPS.' };
  if ('unreachable' in certificate) {
    return {
      state: 'info',
      detail: `PUBLIC_URL can't be reached from here (${certificate.unreachable}): see from another machine whether it is.`,
    };
  }
  const { validFrom, validUntil, namesHost } = certificate;
  const hours = Math.round((validUntil.getTime() - validFrom.getTime()) / Hour);
  const day = validUntil.toISOString().slice(0, 10);
  const advice = 'see docs/operations/certificates.md.';
  if (!namesHost) return fail(`The certificate is another host's than PUBLIC_URL's: ${advice}`);
  if (validUntil.getTime() <= now) return fail(`The certificate was valid until ${day}, and browsers refuse it: ${advice}`);
  if (isExpiring(certificate, now)) return warn(`The certificate is valid until ${day} only: ${advice}`);
  if (hours <= MAX_SHORT_HOURS) {
    return pass(`The certificate is one of ${hours} hours, and is to be renewed before ${formatTime(validUntil)} UTC.`);
  }

  return pass(`The certificate is valid until ${day}.`);
}

/** Checks the certificate that visitors get. */
export const checkCertificate = ({ site }: Config): Check => ({
  name: 'certificate',
  run: async () => assessCertificate(await readSiteCertificate(site.publicUrl), Date.now()),
});
