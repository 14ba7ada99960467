import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getErrorCode } from '../logging/describe-error.ts';
import { parseAddress, withoutBrackets } from '../network/ip-address.ts';
import type { Environment } from './settings.ts';

/*
 * What the stack's proxy needs, checked before anything is replaced. `deploy/proxy/start.sh` checks the same for
 * itself, since it also starts without this.
 */

/** Where the settings' container sees the folder `certificates`, as the proxy does. */
const CERTIFICATES = '/certificates';

const sources = ['acme', 'files', 'internal'];

/** An origin as `start.sh` takes it: narrower than what a URL may be. */
const ORIGIN = /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?\/?$/i;

/** The address of an account at a public authority, alone or as in `The Site <site@example.com>`. */
const ACCOUNT = /^(?:[^<>]*<)?[\w.%+-]+@[A-Za-z0-9.-]+>?$/;

/**
 * The last labels of names that no authority certifies, since they are nobody's on the internet, and of addresses.
 * Source: IANA's special-use domain names; ICANN's `.internal`; those that it doesn't delegate because networks use them.
 */
const NOT_PUBLIC =
  /\.(?:alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localhost|mail|onion|private|test)$|^\[|^[0-9.]+$/i;

/** A public authority certifies public names only. */
function checkAcme(host: string, { LEGAL_EMAIL = '' }: Environment): readonly string[] {
  const isPublicName = host.includes('.') && !NOT_PUBLIC.test(host);

  return [
    ...(isPublicName
      ? []
      : [`TLS=acme gets no certificate for ${host}, only for names on the internet: set TLS=internal or TLS=files`]),
    ...(LEGAL_EMAIL === '' || ACCOUNT.test(LEGAL_EMAIL)
      ? []
      : ['LEGAL_EMAIL must be an e-mail address that TLS=acme can take: letters, digits and . _ % + - before the @']),
  ];
}

/** The text of a file, or the sentence that says why there is none. */
function readPem(folder: string, name: string): { readonly text: string } | { readonly error: string } {
  try {
    return { text: readFileSync(join(folder, name), 'utf8') };
  } catch (error) {
    const code = getErrorCode(error) ?? 'unknown';
    const advice =
      code === 'ENOENT'
        ? `put ${name} into the folder certificates`
        : `on the host, run chown 10001:10001 and chmod 0400 on ${name}, and chmod 0755 on its folder`;

    return { error: `TLS=files needs ${name}, which can't be read (${code}): ${advice}` };
  }
}

/**
 * The line with which each begins. OpenSSL, by which we read them, also takes one behind the mark that some editors put
 * first in a file, and certificates that are called trusted; Caddy passes both over, and takes the next.
 */
const FIRST_LINES = {
  certificate: /^-----BEGIN CERTIFICATE-----/m,
  key: /^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/m,
} as const;

/** Parses PEM; undefined when it is none, or has a passphrase. */
function parse<Parsed>(make: (text: string) => Parsed, firstLine: RegExp, text: string): Parsed | undefined {
  const start = text.search(firstLine);

  try {
    return start === -1 ? undefined : make(text.slice(start));
  } catch {
    return undefined;
  }
}

/** Curves of keys with which Caddy signs (Go, crypto/tls), by OpenSSL's names. */
const CURVES: readonly string[] = ['prime256v1', 'secp384r1', 'secp521r1'];

function canSignForCaddy({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'ec') return CURVES.includes(asymmetricKeyDetails?.namedCurve ?? '');

  return asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ed25519';
}

function checkFiles(folder: string): readonly string[] {
  const [certificateFile, keyFile] = [readPem(folder, 'certificate.pem'), readPem(folder, 'key.pem')];
  const unreadable = [certificateFile, keyFile].flatMap((file) => ('error' in file ? [file.error] : []));
  if ('error' in certificateFile || 'error' in keyFile) return unreadable;
  const certificate = parse((text) => new X509Certificate(text), FIRST_LINES.certificate, certificateFile.text);
  const key = parse(createPrivateKey, FIRST_LINES.key, keyFile.text);
  if (certificate && key) {
    if (!canSignForCaddy(key)) {
      return ['TLS=files needs a key of RSA, Ed25519, or a curve P-256, P-384 or P-521, and key.pem holds another kind'];
    }

    return certificate.checkPrivateKey(key)
      ? []
      : ['TLS=files needs a pair, and key.pem is not the key of the first certificate in certificate.pem (with nothing before -----BEGIN CERTIFICATE----- in its line)'];
  }

  return [
    ...(certificate ? [] : ['TLS=files needs a certificate in PEM, whose first line is -----BEGIN CERTIFICATE-----, and certificate.pem holds none']),
    ...(key ? [] : ['TLS=files needs a private key in PEM without a passphrase, and key.pem holds none']),
  ];
}

function checkTls(environment: Environment, folder: string): readonly string[] {
  const { TLS = '', PUBLIC_URL = '' } = environment;
  if (!sources.includes(TLS)) return [`TLS must be one of ${sources.join(', ')}`];
  if (PUBLIC_URL === '') return [];
  const [, scheme = '', host = ''] = ORIGIN.exec(PUBLIC_URL) ?? [];
  if (host === '') {
    return ['PUBLIC_URL must be an origin like https://www.example.com, without a path, its host in punycode'];
  }
  if (scheme.toLowerCase() !== 'https') return [];
  if (TLS === 'files') return checkFiles(folder);

  return TLS === 'acme' ? checkAcme(host, environment) : [];
}

/** A port of this machine that Compose publishes, maybe at one of its addresses only. */
interface Binding {
  readonly name: string;
  /** Undefined: all. */
  readonly address: string | undefined;
  readonly port: number;
}

const MAX_PORT = 65_535;

function makeBinding(name: string, host: string, port: string): Binding | undefined {
  const address = host === '' ? undefined : parseAddress(withoutBrackets(host));
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > MAX_PORT || (host !== '' && !address)) return undefined;
  const isEveryAddress = address === undefined || address.range() === 'unspecified';

  return { name, address: isEveryAddress ? undefined : address.toString(), port: Number(port) };
}

/** `80`, `10.0.0.5:80` or `[fd00::5]:80`. */
function parseBinding(name: string, text: string): Binding | undefined {
  const [, host = '', port = ''] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d+)$/.exec(text) ?? [];

  return makeBinding(name, host, port);
}

const areSame = (one: Binding, other: Binding) =>
  one.port === other.port &&
  (one.address === undefined || other.address === undefined || one.address === other.address);

function checkPorts(environment: Environment): readonly string[] {
  const { PORT = '', BIND_ADDRESS = '' } = environment;
  const published = ['HTTP_PORT', 'HTTPS_PORT'].map((name) => {
    const text = environment[name] ?? '';

    return { name, isWrong: text !== '' && !parseBinding(name, text), binding: parseBinding(name, text) };
  });
  // Errors in these two are among the others.
  const bindings = [makeBinding('PORT', BIND_ADDRESS, PORT), ...published.map(({ binding }) => binding)].filter(
    (binding) => binding !== undefined,
  );

  return [
    ...published.filter(({ isWrong }) => isWrong).map(({ name }) => `${name} must be a port number, or ADDRESS:PORT`),
    ...bindings.flatMap((one, index) =>
      bindings
        .slice(index + 1)
        .filter((other) => areSame(one, other))
        .map(({ name }) => `${name} must differ from ${one.name}: both are ports of this machine`),
    ),
  ];
}

/**
 * A sentence about each setting with which the stack's proxy can't start, or serves no HTTPS.
 * @param environment as docker-compose.yml makes it; without TLS there is a proxy of the operator's own
 * @param folder with the certificate for TLS=files
 */
export const listProxyErrors = (environment: Environment, folder = CERTIFICATES): readonly string[] =>
  environment['TLS'] ? [...checkTls(environment, folder), ...checkPorts(environment)] : [];
