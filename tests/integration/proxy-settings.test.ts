import { spawnSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCertificateAuthority } from '../support/certificates.ts';
import { startLocalServer } from '../support/local-server.ts';
import { refuseProxy, startProxy } from '../support/proxy.ts';
import { requestRaw } from '../support/raw-http.ts';
import type { Environment } from '../support/site-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const SITE = 'https://site.test';

test.each([
  [{ PUBLIC_URL: 'https://site.test/path' }, 'PUBLIC_URL must be an origin like'],
  [{ PUBLIC_URL: 'https://a { respond bad }' }, 'PUBLIC_URL must be an origin like'],
  [{ PUBLIC_URL: 'https://bücher.example' }, 'PUBLIC_URL must have its host in punycode'],
  [{ PUBLIC_ALIASES: 'site.test, https://b.test' }, "'https://b.test' is not one"],
  [{ HSTS_SUBDOMAINS: 'yes' }, "HSTS_SUBDOMAINS must be true or false, but is 'yes'"],
  [{ PORT: '99999' }, 'PORT must be a port number'],
  [{ WEB_HOST: 'web web' }, 'WEB_HOST must be a host name'],
])('the proxy doesn’t start with the settings %j, and reports the error', async (settings, message) => {
  expect(await refuseProxy(settings)).toContain(message);
});

/** Starts the proxy in front of a web server that accepts every request. */
async function startBeforeWeb(settings: Environment) {
  const web = await startLocalServer((_request, response) => response.end('the site'));

  return startProxy({ PUBLIC_URL: SITE, PORT: new URL(web).port, ...settings });
}

const certificates = createCertificateAuthority().then(async (authority) => {
  const [one, other] = [await authority.issue('DNS:site.test'), await authority.issue('DNS:site.test')];
  await authority.remove();

  return { one, other };
});

test.each([
  ['TLS has an unknown value', { TLS: 'letsencrypt' }, "TLS must be acme, files or internal, but is 'letsencrypt'"],
  [
    'no authority issues a certificate for the host or accepts the account',
    { PUBLIC_URL: 'https://localhost', LEGAL_EMAIL: 'A <b>' },
    /TLS=acme can't get a certificate[^]*must be an e-mail address, but is 'b'/,
  ],
  [
    'the certificate is missing, and the key file has no key',
    () => ({ TLS: 'files', PROXY_CERTIFICATES: makeTemporaryFolder({ 'key.pem': 'nothing' }) }),
    /certificate.pem, which is missing[^]*key.pem must contain a PRIVATE KEY/,
  ],
  [
    'the key belongs to another certificate',
    async () => {
      const { one, other } = await certificates;

      return {
        TLS: 'files',
        PROXY_CERTIFICATES: makeTemporaryFolder({ 'certificate.pem': one.cert, 'key.pem': other.key }),
      };
    },
    /TLS=files can't be used: .*private key does not match public key/,
  ],
])('the proxy serves only this machine and reports the error if %s', async (_what, settings, message) => {
  const proxy = await startBeforeWeb(typeof settings === 'function' ? await settings() : settings);

  expect(proxy.output()).toMatch(message);
  expect((await requestRaw(proxy.plainUrl)).body).toBe('the site');
  const forVisitors = await requestRaw(`http://site.test:${proxy.httpPort}`);
  expect(forVisitors.status).toBe(503);
  expect(forVisitors.header('retry-after')).toBe('10');
  expect(forVisitors.header('content-security-policy')).toBeDefined();
  await expect(requestRaw(`https://site.test:${proxy.httpsPort}`)).rejects.toThrow();
});

test('start.sh --check fails if the key belongs to another certificate, and starts nothing', async () => {
  const { one, other } = await certificates;
  const check = (key: string) => {
    const PROXY_CERTIFICATES = makeTemporaryFolder({ 'certificate.pem': one.cert, 'key.pem': key });
    const env = { PATH: process.env['PATH'], PUBLIC_URL: SITE, TLS: 'files', PROXY_CERTIFICATES };

    return spawnSync('bash', ['deploy/proxy/start.sh', '--check'], { env }).status;
  };

  expect([check(one.key), check(other.key)]).toEqual([0, 1]);
});

test('the proxy reports certificate files that its user can’t read', async () => {
  const folder = makeTemporaryFolder();
  // Root can read every file, so this uses another user, who might not have access to the project's folder.
  const script = await readFile('deploy/proxy/start.sh', 'utf8');
  const run = () =>
    spawnSync('bash', ['-c', script], {
      ...(process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {}),
      cwd: '/',
      // The invalid port makes the script exit.
      env: { PATH: process.env['PATH'], PUBLIC_URL: SITE, TLS: 'files', PROXY_CERTIFICATES: folder, PORT: 'z' },
    }).stderr.toString();
  await writeFile(join(folder, 'certificate.pem'), '', { mode: 0 });
  await writeFile(join(folder, 'key.pem'), '', { mode: 0 });

  await chmod(folder, 0);
  expect(run()).toMatch(/can't open .*: on the host, run chmod 0755/);
  await chmod(folder, 0o755);
  expect(run().match(/can't read .*: on the host, run chown/g)).toHaveLength(2);
});
