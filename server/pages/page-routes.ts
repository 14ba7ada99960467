import { industries } from '#content/industries';
import { redirects } from '#content/redirects';
import type { FastifyInstance } from 'fastify';
import { isIndustryOption } from '../../shared/contact/industry-options.ts';
import { apiPrefix, contactQuery, pathTo, routePatterns, toCanonicalPath } from '../../shared/paths.ts';
import { AppError } from '../http/errors.ts';
import { FRESH_FOR_AN_HOUR } from '../http/static-files.ts';
import { HTML_TYPE, type PageRenderer } from './page-renderer.ts';

type ResolvedPage =
  | { readonly kind: 'page'; readonly location: string }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 308; readonly location: string }
  | { readonly kind: 'not-found' };

const INDUSTRIES_PREFIX = `${routePatterns.industries}/`;

const isIndustriesPath = (path: string) =>
  path === routePatterns.industries || path.startsWith(INDUSTRIES_PREFIX);

/** Returns the location under which a page is rendered and cached: its path and known query values. */
function makeLocation(path: string, query: URLSearchParams): string {
  if (path !== routePatterns.contact) return path;
  const industry = query.get(contactQuery.industry);

  return pathTo.contact({
    industry: isIndustryOption(industry) ? industry : undefined,
    sent: query.get(contactQuery.sent) === '1',
  });
}

/** Resolves the target of an old path. Keeps the visitor's query unless the target has one. */
function resolveRedirect(target: string | undefined, search: string): ResolvedPage {
  if (target === undefined) return { kind: 'not-found' };
  const location = search === '' || /[?#]/.test(target) ? target : `${target}?${search}`;

  return { kind: 'redirect', status: 301, location };
}

/** Returns how to respond to a GET request. Page paths and the keys of `redirects` must be canonical. */
export function resolvePage(
  url: string,
  pagePaths: ReadonlySet<string>,
  redirects: Readonly<Record<string, string>> = {},
): ResolvedPage {
  // True for nearly every request.
  if (pagePaths.has(url)) return { kind: 'page', location: url };
  const [path = '', search = ''] = url.split(/\?(.*)/s, 2);
  const canonicalPath = toCanonicalPath(path);

  if (!pagePaths.has(canonicalPath) && !isIndustriesPath(canonicalPath)) {
    return resolveRedirect(redirects[canonicalPath], search);
  }
  if (path !== canonicalPath) {
    const location = search === '' ? canonicalPath : `${canonicalPath}?${search}`;

    return { kind: 'redirect', status: 308, location };
  }
  if (isIndustriesPath(path)) {
    const industry = industries.find(({ slug }) => slug === path.slice(INDUSTRIES_PREFIX.length));

    return {
      kind: 'redirect',
      status: 302,
      location: pathTo.contact({ industry: industry?.value }),
    };
  }

  return { kind: 'page', location: makeLocation(path, new URLSearchParams(search)) };
}

const headers = {
  contentType: HTML_TYPE,
  cacheControl: 'public, max-age=0, must-revalidate',
};

interface PageRouteOptions {
  readonly pages: PageRenderer;
  readonly pagePaths: ReadonlySet<string>;
}

/** Routes all pages with one catch-all route. Unknown paths get the not-found page with 404. */
export async function pageRoutes(app: FastifyInstance, { pages, pagePaths }: PageRouteOptions): Promise<void> {
  app.get('/*', async (request, reply) => {
    const resolved = resolvePage(request.url, pagePaths, redirects);
    // Browsers would cache it forever, and the owner couldn't correct a wrong redirect.
    if (resolved.kind === 'redirect' && resolved.status === 301) reply.header('cache-control', FRESH_FOR_AN_HOUR);
    if (resolved.kind === 'redirect') return reply.redirect(resolved.location, resolved.status);
    if (resolved.kind === 'page') return reply.sendCached(await pages.renderCached(resolved.location), headers);
    if (request.url.startsWith(apiPrefix)) throw new AppError('not-found', 'No such call.');

    return reply.code(404).sendCached(await pages.renderNotFound(), headers);
  });
}
