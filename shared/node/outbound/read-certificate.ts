import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { getErrorCode } from '../logging/describe-error.ts';
import { parseAddress, withoutBrackets } from '../network/ip-address.ts';
import { Day, Second } from '../../time.ts';

/** Enough time to replace the certificate manually. */
const WARNING_TIME = 14 * Day;
/**
 * Caddy renews short-lived certificates in the last third of their lifetime. Source:
 * https://caddyserver.com/docs/automatic-https
 */
const WARNING_SHARE = 1 / 4;

const TIMEOUT = 4 * Second;

/** The stack's proxy, for containers that can't reach PUBLIC_URL. */
const STACK_PROXY = { host: 'proxy', port: 8443 } as const;

export interface SiteCertificate {
  readonly validFrom: Date;
  readonly validUntil: Date;
  readonly namesHost: boolean;
}

interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Returns whether a certificate expires within 14 days, or within a quarter of its lifetime if that is shorter. */
export function isExpiring({ validFrom, validUntil }: SiteCertificate, now: number): boolean {
  const lifetime = validUntil.getTime() - validFrom.getTime();

  return validUntil.getTime() - now <= Math.min(WARNING_TIME, lifetime * WARNING_SHARE);
}

/** Reads a server's certificate, trusted or not. */
function readCertificate({ host, port }: Endpoint, name: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    // SNI doesn't allow IP addresses. Source: RFC 6066, section 3.
    const servername = parseAddress(name) ? '' : name;
    // Also read expired and private certificates.
    const socket = connect({ host, port, servername, rejectUnauthorized: false });
    const end = (finish: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      finish();
    };
    const fail = (error: Error) => end(() => reject(error));
    const timer = setTimeout(() => fail(new DOMException('There was no response.', 'TimeoutError')), TIMEOUT);
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      if (certificate) end(() => resolve(certificate));
      else fail(new DOMException('There is no certificate.', 'NotFoundError'));
    });
  });
}

const describeCertificate = (certificate: X509Certificate, name: string): SiteCertificate => ({
  validFrom: certificate.validFromDate,
  validUntil: certificate.validToDate,
  namesHost: (parseAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined,
});

/** Returns the certificate that visitors get. Undefined without HTTPS. `unreachable` is the error code. */
export async function readSiteCertificate(
  publicUrl: string,
): Promise<SiteCertificate | { readonly unreachable: string } | undefined> {
  const { protocol, hostname, port } = new URL(publicUrl);
  if (protocol !== 'https:') return undefined;
  const name = withoutBrackets(hostname);

  try {
    return describeCertificate(await readCertificate({ host: name, port: Number(port || 443) }, name), name);
  } catch (error) {
    const own = await readCertificate(STACK_PROXY, name).catch(() => undefined);
    const certificate = own && describeCertificate(own, name);
    // Outside the stack, `proxy` may be another server.
    if (certificate?.namesHost) return certificate;

    return { unreachable: getErrorCode(error) ?? (error instanceof Error ? error.name : 'unknown') };
  }
}
