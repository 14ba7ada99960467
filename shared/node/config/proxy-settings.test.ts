import { expect, test } from 'vitest';
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
  { PUBLIC_URL: 'https://local.praline.com', PUBLIC_ALIASES: 'praline.com, praline.org' },
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
  [{ PUBLIC_ALIASES: 'praline.com,praline.local' }, /^TLS=acme gets no certificate for praline\.local/],
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
