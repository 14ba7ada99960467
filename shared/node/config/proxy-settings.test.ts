import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listProxyErrors } from './proxy-settings.ts';

const stack = {
  TLS: 'acme',
  PUBLIC_URL: 'https://www.example.com',
  PORT: '3000',
  BIND_ADDRESS: '127.0.0.1',
  HTTP_PORT: '80',
  HTTPS_PORT: '443',
};

test.each([
  {},
  { PUBLIC_URL: '' },
  { PUBLIC_URL: 'http://localhost:3000' },
  { PUBLIC_URL: 'https://WWW.example.com/', LEGAL_EMAIL: 'The Site <legal@example.com>' },
  { TLS: 'internal', PUBLIC_URL: 'https://192.168.1.5:8443' },
  { PUBLIC_URL: 'https://local.praline.com' },
  { TLS: 'internal', PUBLIC_URL: 'https://intranet' },
  { HTTP_PORT: '10.0.0.5:80', HTTPS_PORT: '[fd00::5]:443' },
  { HTTP_PORT: '10.0.0.5:3000' },
  // A proxy of the operator's own: nothing of ours is checked.
  { TLS: '', PUBLIC_URL: 'https://intranet', HTTP_PORT: 'x' },
])('the proxy starts with %j', (settings) => {
  expect(listProxyErrors({ ...stack, ...settings })).toEqual([]);
});

test.each([
  [{ TLS: 'letsencrypt' }, /^TLS must be one of acme, files, internal$/],
  [{ TLS: 'letsencrypt', PUBLIC_URL: '' }, /^TLS must be one of/],
  [{ PUBLIC_URL: 'https://bücher.example' }, /^PUBLIC_URL must .* punycode$/],
  [{ PUBLIC_URL: 'https:www.example.com' }, /^PUBLIC_URL must be an origin/],
  [{ PUBLIC_URL: 'https://intranet' }, /^TLS=acme gets no certificate for intranet/],
  [{ PUBLIC_URL: 'https://192.168.1.5' }, /^TLS=acme gets no certificate for 192/],
  [{ PUBLIC_URL: 'https://[::1]' }, /^TLS=acme gets no certificate for \[::1\]/],
  [{ PUBLIC_URL: 'https://www.praline.local' }, /^TLS=acme gets no certificate for www\.praline\.local/],
  [{ PUBLIC_URL: 'https://site.INTERNAL' }, /^TLS=acme gets no certificate/],
  [{ PUBLIC_URL: 'https://site.home.arpa' }, /^TLS=acme gets no certificate/],
  [{ LEGAL_EMAIL: 'a b' }, /^LEGAL_EMAIL must be an e-mail address/],
  [{ HTTP_PORT: '80a' }, /^HTTP_PORT must be a port number, or ADDRESS:PORT$/],
  [{ HTTP_PORT: '99999' }, /^HTTP_PORT must be/],
  [{ HTTPS_PORT: 'www.example.com:443' }, /^HTTPS_PORT must be/],
  [{ HTTPS_PORT: '80' }, /^HTTPS_PORT must differ from HTTP_PORT/],
  [{ HTTPS_PORT: '0.0.0.0:80', HTTP_PORT: '10.0.0.5:80' }, /^HTTPS_PORT must differ from HTTP_PORT/],
  [{ HTTP_PORT: '3000' }, /^HTTP_PORT must differ from PORT/],
])('%j is refused in one sentence', (settings, sentence) => {
  expect(listProxyErrors({ ...stack, ...settings })).toEqual([expect.stringMatching(sentence)]);
});

describe('with TLS=files', () => {
  const makeKey = () => generateKeyPairSync('ed25519').privateKey;
  const toPem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const key = makeKey();

  function writeFiles(files: Readonly<Record<string, string>>): string {
    const folder = mkdtempSync(join(tmpdir(), 'test-certificates-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

    return folder;
  }

  /** A certificate of a key, made with OpenSSL's program, since Node can't sign certificates. */
  function certify(ofKey = key): string {
    const path = join(writeFiles({ 'key.pem': toPem(ofKey) }), 'key.pem');

    return execFileSync('openssl', ['req', '-x509', '-key', path, '-subj', '/CN=www.example.com']).toString();
  }

  const listErrors = (files: Readonly<Record<string, string>>) =>
    listProxyErrors({ ...stack, TLS: 'files' }, writeFiles(files));

  test('a pair in PEM is taken, with more certificates after the first, and nothing else', () => {
    const certificate = certify();
    const locked = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'word' }).toString();

    expect(listErrors({ 'certificate.pem': certificate + certificate, 'key.pem': toPem(key) })).toEqual([]);
    expect(listErrors({ 'certificate.pem': certificate, 'key.pem': toPem(makeKey()) })).toEqual([
      expect.stringMatching(/key.pem is not the key of the first certificate/),
    ]);
    expect(listErrors({ 'certificate.pem': certificate, 'key.pem': locked })).toEqual([
      expect.stringMatching(/without a passphrase/),
    ]);
  });

  test('what OpenSSL reads and Caddy does not is refused', () => {
    const certificate = certify();
    const listCertificateErrors = (text: string) => listErrors({ 'certificate.pem': text, 'key.pem': toPem(key) });
    const noCertificate = [expect.stringMatching(/whose first line is -----BEGIN CERTIFICATE-----, .* holds none/)];

    expect(listCertificateErrors(`\ufeff${certificate}`)).toEqual(noCertificate);
    expect(listCertificateErrors(certificate.replaceAll(' CERTIFICATE-', ' TRUSTED CERTIFICATE-'))).toEqual(noCertificate);
    // Caddy would take the second for the site's.
    const chain = `\ufeff${certificate}${certify(makeKey())}`;
    expect(listCertificateErrors(chain)).toEqual([expect.stringMatching(/with nothing before -----BEGIN/)]);
    expect(listErrors({ 'certificate.pem': certificate, 'key.pem': `\ufeff${toPem(key)}` })).toEqual([
      expect.stringMatching(/and key.pem holds none/),
    ]);
    expect(listCertificateErrors(`Subject: a comment\r\n${certificate.replaceAll('\n', '\r\n')}`)).toEqual([]);
  });

  test.each([
    ['P-256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }), []],
    ['P-521', () => generateKeyPairSync('ec', { namedCurve: 'P-521' }), []],
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 }), []],
    ['Bitcoin', () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }), [expect.stringMatching(/another kind/)]],
    ['Ed448', () => generateKeyPairSync('ed448'), [expect.stringMatching(/another kind/)]],
    ['RSA-PSS', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 }), [expect.stringMatching(/another kind/)]],
  ])('a key of the kind %s is taken only where Caddy takes it', (_kind, makePair, errors) => {
    const { privateKey } = makePair();

    expect(listErrors({ 'certificate.pem': certify(privateKey), 'key.pem': toPem(privateKey) })).toEqual(errors);
  });

  test('files that are missing or no PEM are refused, all at once', () => {
    expect(listErrors({})).toEqual([
      expect.stringMatching(/needs certificate.pem, which can't be read \(ENOENT\): put .*folder certificates/),
      expect.stringMatching(/needs key.pem, which can't be read/),
    ]);
    expect(listErrors({ 'certificate.pem': 'none', 'key.pem': 'none' })).toEqual([
      expect.stringMatching(/certificate.pem holds none/),
      expect.stringMatching(/without a passphrase, and key.pem holds none/),
    ]);
  });
});
