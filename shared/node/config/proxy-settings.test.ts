import { expect, test } from 'vitest';
import { listProxyErrors } from './proxy-settings.ts';

const stack = { TLS: 'acme', PUBLIC_URL: 'https://www.example.com' };

test.each([
  {},
  { PUBLIC_URL: '' },
  { PUBLIC_URL: 'http://localhost:3000' },
  { PUBLIC_URL: 'https://WWW.example.com/', LEGAL_EMAIL: 'The Site <legal@example.com>' },
  { TLS: 'internal', PUBLIC_URL: 'https://192.168.1.5:8443' },
  { PUBLIC_URL: 'https://local.praline.com', PUBLIC_ALIASES: 'praline.com, praline.org' },
  { TLS: 'internal', PUBLIC_URL: 'https://intranet' },
  // Behind the operator's own proxy.
  { TLS: '', PUBLIC_URL: 'https://intranet' },
])('the proxy starts with %j', (settings) => {
  expect(listProxyErrors({ ...stack, ...settings })).toEqual([]);
});

test.each([
  [{ TLS: 'letsencrypt' }, /^TLS must be one of acme, files, internal$/],
  [{ TLS: 'letsencrypt', PUBLIC_URL: '' }, /^TLS must be one of/],
  [{ PUBLIC_URL: 'https://bücher.example' }, /^PUBLIC_URL must .* punycode$/],
  [{ PUBLIC_URL: 'https:www.example.com' }, /^PUBLIC_URL must be an origin/],
  [{ PUBLIC_URL: 'https://intranet' }, /^TLS=acme can't get a certificate for intranet/],
  [{ PUBLIC_URL: 'https://192.168.1.5' }, /^TLS=acme can't get a certificate for 192/],
  [{ PUBLIC_URL: 'https://[::1]' }, /^TLS=acme can't get a certificate for \[::1\]/],
  [{ PUBLIC_URL: 'https://www.praline.local' }, /^TLS=acme can't get a certificate for www\.praline\.local/],
  [{ PUBLIC_URL: 'https://site.INTERNAL' }, /^TLS=acme can't get a certificate/],
  [{ PUBLIC_URL: 'https://site.home.arpa' }, /^TLS=acme can't get a certificate/],
  [{ PUBLIC_ALIASES: 'praline.com,praline.local' }, /^TLS=acme can't get a certificate for praline\.local/],
  [{ LEGAL_EMAIL: 'a b' }, /^LEGAL_EMAIL must be an e-mail address/],
])('the proxy refuses %j and reports one error', (settings, sentence) => {
  expect(listProxyErrors({ ...stack, ...settings })).toEqual([expect.stringMatching(sentence)]);
});
