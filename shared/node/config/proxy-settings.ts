import { splitList } from './setting-types.ts';
import type { Environment } from './settings.ts';

const sources = ['acme', 'files', 'internal'];

/** An origin that `start.sh` accepts, which is less than a URL allows. */
const ORIGIN = /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?\/?$/i;

/** The mail address of an ACME account, alone or as in `The Site <site@example.com>`. */
const ACCOUNT = /^(?:[^<>]*<)?[\w.%+-]+@[A-Za-z0-9.-]+>?$/;

/** Endings of names that no public authority certifies: IANA's special-use names and those of private networks. */
const NOT_PUBLIC =
  /\.(?:alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localhost|mail|onion|private|test)$|^\[|^[0-9.]+$/i;

const isPublicName = (host: string) => host.includes('.') && !NOT_PUBLIC.test(host);

function checkAcme(siteHost: string, { LEGAL_EMAIL = '', PUBLIC_ALIASES = '' }: Environment): readonly string[] {
  const wrongHosts = [siteHost, ...splitList(PUBLIC_ALIASES)].filter((host) => !isPublicName(host));

  return [
    ...wrongHosts.map(
      (host) => `TLS=acme gets no certificate for ${host}, only for names on the internet: set TLS=internal or TLS=files`,
    ),
    ...(LEGAL_EMAIL === '' || ACCOUNT.test(LEGAL_EMAIL)
      ? []
      : ['LEGAL_EMAIL must be an e-mail address that TLS=acme can take: letters, digits and . _ % + - before the @']),
  ];
}

function checkTls(environment: Environment): readonly string[] {
  const { TLS = '', PUBLIC_URL = '' } = environment;
  if (!sources.includes(TLS)) return [`TLS must be one of ${sources.join(', ')}`];
  if (PUBLIC_URL === '') return [];
  const [, scheme = '', host = ''] = ORIGIN.exec(PUBLIC_URL) ?? [];
  if (host === '') {
    return ['PUBLIC_URL must be an origin like https://www.example.com, without a path, its host in punycode'];
  }
  if (scheme.toLowerCase() !== 'https') return [];

  return TLS === 'acme' ? checkAcme(host, environment) : [];
}

/** Returns a sentence for each setting that `deploy/proxy/start.sh` refuses. Ports are not checked here. */
export const listProxyErrors = (environment: Environment): readonly string[] => (environment['TLS'] ? checkTls(environment) : []);
