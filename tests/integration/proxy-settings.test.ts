import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refuseProxy } from '../support/proxy.ts';

const SITE = 'https://site.test';

describe('the proxy doesn’t start, and reports what to do, when', () => {
  const withFiles = async (change: (folder: string) => Promise<unknown>) => {
    const folder = await mkdtemp(join(tmpdir(), 'test-own-files-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await change(folder);

    return refuseProxy({ PUBLIC_URL: SITE, TLS: 'files', PROXY_CERTIFICATES: folder });
  };

  test.each([
    [{ TLS: 'letsencrypt' }, "TLS must be acme, files or internal, and is 'letsencrypt'"],
    [{ PUBLIC_URL: 'https://site.test/path' }, 'PUBLIC_URL must be an origin like'],
    [{ PUBLIC_URL: 'https://a { respond bad }' }, 'PUBLIC_URL must be an origin like'],
    [{ PUBLIC_URL: 'https://bücher.example' }, 'PUBLIC_URL must have its host in punycode'],
    [{ PUBLIC_URL: 'https://localhost' }, 'TLS=acme gets no certificate'],
    [{ PUBLIC_URL: 'https://192.168.1.5' }, 'TLS=acme gets no certificate'],
    [{ PUBLIC_URL: SITE, LEGAL_EMAIL: 'a b' }, 'LEGAL_EMAIL must be an e-mail address'],
    [{ PUBLIC_URL: SITE, LEGAL_EMAIL: 'A <b>' }, "an e-mail address, and is 'b'"],
    [{ HSTS_SUBDOMAINS: 'yes' }, "HSTS_SUBDOMAINS must be true or false, and is 'yes'"],
    [{ PORT: '99999' }, 'PORT must be a port number'],
    [{ WEB_HOST: 'web web' }, 'WEB_HOST must be a host name'],
  ])('the settings are %j', async (settings, message) => {
    expect(await refuseProxy(settings)).toContain(message);
  });

  test('another setting is wrong, without a word about an address with a name before it', async () => {
    const errorOutput = await refuseProxy({
      PUBLIC_URL: SITE,
      LEGAL_EMAIL: 'The Site <legal@site.test>',
      PORT: 'z',
    });

    expect(errorOutput).toContain('PORT must be');
    expect(errorOutput).not.toContain('LEGAL_EMAIL');
  });

  test('several settings are wrong: all are named', async () => {
    const errorOutput = await refuseProxy({ PUBLIC_URL: 'x', TLS: 'y', PORT: 'z' });

    expect(errorOutput.match(/must be/g)).toHaveLength(3);
  });

  test('files are missing, or no certificates', async () => {
    const errorOutput = await withFiles((folder) => writeFile(join(folder, 'key.pem'), 'nothing'));

    expect(errorOutput).toContain('certificate.pem, and there is none');
    expect(errorOutput).toContain('key.pem must hold a PRIVATE KEY');
  });

  test('files may not be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'test-own-files-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    // Root reads everything; another user may not reach this project's folder.
    const script = await readFile('deploy/proxy/start.sh', 'utf8');
    const run = () =>
      spawnSync('bash', ['-c', script], {
        ...(process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {}),
        cwd: '/',
        env: { PATH: process.env['PATH'], PUBLIC_URL: SITE, TLS: 'files', PROXY_CERTIFICATES: folder },
      }).stderr.toString();
    await writeFile(join(folder, 'certificate.pem'), '', { mode: 0 });
    await writeFile(join(folder, 'key.pem'), '', { mode: 0 });

    await chmod(folder, 0);
    expect(run()).toMatch(/can't look into .*: on the host, run chmod 0755/);
    await chmod(folder, 0o755);
    expect(run().match(/can't read .*: on the host, run chown/g)).toHaveLength(2);
  });
});
