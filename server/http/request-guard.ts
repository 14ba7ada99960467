import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../shared/node/network/ip-address.ts';
import { apiPaths } from '../../shared/paths.ts';
import { AppError } from './errors.ts';
import { isPrefetch } from './request-log.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const FOREIGN_SITES = new Set(['cross-site', 'same-site']);
const HEALTH_PATHS: ReadonlySet<string> = new Set([apiPaths.live, apiPaths.ready]);

/** The start of a request target that includes a host, as sent to proxies. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

function isDecodable(path: string): boolean {
  try {
    decodeURI(path);

    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the path and query of a request target in any form (RFC 9112, 3.2). Truncates a path that can't be decoded,
 * so that it gets a 404. The router would refuse it before running any hook.
 */
export function toOriginForm(url: string): string {
  const target = ABSOLUTE_FORM.test(url) ? url.replace(ABSOLUTE_FORM, '').replace(/^(?!\/)/, '/') : url;
  if (!target.includes('%')) return target;
  const [path = ''] = target.split('?', 1);

  return isDecodable(path) ? target : `${path.slice(0, path.indexOf('%'))}%25`;
}

/** Characters that surround a host in a URL, and can't be part of a Host header. */
const URL_DELIMITERS = /[@/?#\\]/;

/** Maximum length: 253 for the name (RFC 1035), its dot and a port. Parsing time grows with the square of the length. */
const MAX_HOST = 260;

function parseHost(host: string, protocol: string): URL | undefined {
  if (host.length > MAX_HOST || URL_DELIMITERS.test(host)) return undefined;
  const url = `${protocol}//${host}`;

  return URL.canParse(url) ? new URL(url) : undefined;
}

type HostKind = 'own' | 'alias' | 'foreign';

/** Returns a function that classifies hosts. Loopback hosts are the site's own. */
function makeHostCheck({ host: publicHost, protocol }: URL, aliases: readonly string[]): (host: string) => HostKind {
  return (host) => {
    // True for nearly every request.
    if (host === publicHost) return 'own';
    const parsed = parseHost(host, protocol);
    if (parsed === undefined) return 'foreign';
    if (parsed.host === publicHost || isLoopbackHost(parsed.hostname)) return 'own';

    return aliases.includes(parsed.hostname) ? 'alias' : 'foreign';
  };
}

/** Returns all Host headers. Node's parsed headers contain only the first. */
function readHostHeaders({ rawHeaders }: FastifyRequest['raw']): string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1] ?? '');
  }

  return hosts;
}

/** Returns every host that a request names. @throws AppError unless it has exactly one Host header */
function listHosts({ raw, originalUrl }: FastifyRequest): string[] {
  const hosts = readHostHeaders(raw);
  if (hosts.length !== 1) {
    throw new AppError('invalid-request', 'A request needs exactly one Host header.');
  }
  const named = ABSOLUTE_FORM.exec(originalUrl)?.[1];

  return named === undefined ? hosts : [...hosts, named];
}

function isFromAnotherOrigin({ headers }: FastifyRequest, publicUrl: URL): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;

  return (
    (typeof site === 'string' && FOREIGN_SITES.has(site)) ||
    (origin !== undefined && origin !== publicUrl.origin)
  );
}

/** Redirects aliases to PUBLIC_URL. Refuses foreign hosts, and changes requested by other origins or prefetches. */
export function guardRequests(app: FastifyInstance, site: string, aliases: readonly string[]): void {
  const publicUrl = new URL(site);
  const classifyHost = makeHostCheck(publicUrl, aliases);

  app.addHook('onRequest', (request, reply, done) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const kinds = HEALTH_PATHS.has(path) ? [] : listHosts(request).map(classifyHost);
    if (kinds.includes('foreign')) {
      throw new AppError('misdirected-host', 'This server doesn’t answer for this host.');
    }
    if (kinds.includes('alias')) {
      reply.isForAlias = true;
      // If PUBLIC_URL and its alias were swapped, a cached redirect would become a loop.
      reply.header('cache-control', 'no-store').redirect(publicUrl.origin + request.url.replace(/^(?!\/)/, '/'), 308);

      return;
    }
    if (!SAFE_METHODS.has(request.method)) {
      if (isFromAnotherOrigin(request, publicUrl)) {
        throw new AppError('cross-origin', `Please use the form on ${publicUrl.origin}.`);
      }
      if (isPrefetch(request)) throw new AppError('invalid-request', 'A prefetch changes nothing.');
    }
    done();
  });
}
