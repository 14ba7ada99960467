import { parseAddress, withoutBrackets } from '../network/ip-address.ts';
import { splitList } from './setting-types.ts';
import type { Environment } from './settings.ts';

const sources = ['acme', 'files', 'internal'];

/** An origin as `start.sh` takes it: narrower than what a URL may be. */
const ORIGIN = /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?\/?$/i;

/** The address of an account at a public authority, alone or as in `The Site <site@example.com>`. */
const ACCOUNT = /^(?:[^<>]*<)?[\w.%+-]+@[A-Za-z0-9.-]+>?$/;

/** Last labels of names that no authority certifies: IANA's special-use names and those of private networks. */
const NOT_PUBLIC =
  /\.(?:alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localhost|mail|onion|private|test)$|^\[|^[0-9.]+$/i;

const isPublicName = (host: string) => host.includes('.') && !NOT_PUBLIC.test(host);

/** A public authority certifies public names only. */
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

/** A sentence about each setting the stack's proxy can't start with; `deploy/proxy/start.sh` checks the same. */
export const listProxyErrors = (environment: Environment): readonly string[] =>
  environment['TLS'] ? [...checkTls(environment), ...checkPorts(environment)] : [];
