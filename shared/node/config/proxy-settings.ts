import { splitList } from './setting-types.ts';
import type { Environment } from './settings.ts';

const sources = ['acme', 'files', 'internal'];

/** An origin that `start.sh` accepts. It is stricter than a URL parser. */
const ORIGIN = /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?\/?$/i;

/** An ACME account's mail address, alone or as in `The Site <site@example.com>`. */
const ACCOUNT = /^(?:[^<>]*<)?[\w.%+-]+@[A-Za-z0-9.-]+>?$/;

/** Host name suffixes that no public authority certifies: IANA's special-use domains and private network names. */
const NOT_PUBLIC =
  /\.(?:alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localhost|mail|onion|private|test)$|^\[|^[0-9.]+$/i;

const isPublicName = (host: string) => host.includes('.') && !NOT_PUBLIC.test(host);

function checkAcme(siteHost: string, { LEGAL_EMAIL = '', PUBLIC_ALIASES = '' }: Environment): readonly string[] {
  const wrongHosts = [siteHost, ...splitList(PUBLIC_ALIASES)].filter((host) => !isPublicName(host));

  return [
    ...wrongHosts.map(
      (host) => `TLS=acme can't get a certificate for ${host}, because it is not a public name: set TLS=internal or TLS=files`,
    ),
    ...(LEGAL_EMAIL === '' || ACCOUNT.test(LEGAL_EMAIL)
      ? []
      : ['LEGAL_EMAIL must be an e-mail address that TLS=acme accepts: letters, digits and . _ % + - before the @']),
  ];
}

function checkTls(environment: Environment): readonly string[] {
  const { TLS = '', PUBLIC_URL = '' } = environment;
  if (!sources.includes(TLS)) return [`TLS must be one of ${sources.join(', ')}`];
  if (PUBLIC_URL === '') return [];
  const [, scheme = '', host = ''] = ORIGIN.exec(PUBLIC_URL) ?? [];
  if (host === '') {
    return ['PUBLIC_URL must be an origin like https://www.example.com, without a path and with the host in punycode'];
  }
  if (scheme.toLowerCase() !== 'https') return [];

  return TLS === 'acme' ? checkAcme(host, environment) : [];
}

/** Returns a sentence for each setting that `deploy/proxy/start.sh` refuses. Ports are not checked here. */
export const listProxyErrors = (environment: Environment): readonly string[] => (environment['TLS'] ? checkTls(environment) : []);
