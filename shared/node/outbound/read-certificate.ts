import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { getErrorCode } from '../logging/describe-error.ts';
import { parseAddress, withoutBrackets } from '../network/ip-address.ts';
import { Day, Second } from '../../time.ts';

/** Time to get another one by hand. */
const WARNING_TIME = 14 * Day;
/** Short-lived ones are renewed at a third of their time. Source: https://caddyserver.com/docs/automatic-https */
const WARNING_SHARE = 1 / 4;

const TIMEOUT = 4 * Second;

/** The stack's own proxy, as its containers reach it where PUBLIC_URL leads them nowhere. */
const STACK_PROXY = { host: 'proxy', port: 8443 } as const;

export interface SiteCertificate {
  readonly validFrom: Date;
  readonly validUntil: Date;
  readonly namesHost: boolean;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Whether a certificate ends within 14 days, or the last quarter of its time if that is shorter; or has ended. */
export function isExpiring({ validFrom, validUntil }: SiteCertificate, now: number): boolean {
  const lifetime = validUntil.getTime() - validFrom.getTime();

  return validUntil.getTime() - now <= Math.min(WARNING_TIME, lifetime * WARNING_SHARE);
}

/** Gets the certificate of a server, whoever issued it; nothing else is sent or read. */
function readCertificate({ host, port }: Place, name: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    // Server names are never addresses. Source: RFC 6066, section 3.
    const servername = parseAddress(name) ? '' : name;
    // Its date counts here, not who issued it.
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

/** The certificate that visitors get; undefined without HTTPS, `unreachable` from some containers. */
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
    // Elsewhere another server may have this name.
    if (certificate?.namesHost) return certificate;

    return { unreachable: getErrorCode(error) ?? (error instanceof Error ? error.name : 'unknown') };
  }
}
