import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate with its key, as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A private certificate authority, like a company's own. */
export interface CertificateAuthority {
  /** For NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** @param name as in a certificate, such as `IP:127.0.0.1` or `DNS:mail.example.com` */
  readonly issue: (name: string) => Promise<Certificate>;
  readonly remove: () => Promise<void>;
}

const run = promisify(execFile);
const request = [
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  ...['-noenc', '-days', '2'],
];

/** Creates an authority with the `openssl` program, because Node can't sign certificates. */
export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'test-certificates-'));
  const caKey = join(folder, 'ca.key');
  const file = join(folder, 'ca.pem');
  await run('openssl', [...request, '-subj', '/CN=Test authority', '-keyout', caKey, '-out', file]);

  return {
    file,
    issue: async (name) => {
      const [key, cert] = [join(folder, 'leaf.key'), join(folder, 'leaf.pem')];
      await run('openssl', [
        ...[...request, '-subj', '/CN=Test server', '-CA', file, '-CAkey', caKey],
        ...['-addext', `subjectAltName=${name}`, '-keyout', key, '-out', cert],
      ]);

      return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
