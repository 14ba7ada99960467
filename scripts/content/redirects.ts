import * as v from 'valibot';
import { toCanonicalPath } from '../../shared/paths.ts';
import type { SitePaths } from './site-paths.ts';

/** A path without a host, query or anchor. */
const PATH = /^\/(?!\/)[^?#\\]*$/;

/** A path with an optional query and anchor. */
const PLACE = /^\/(?!\/)[^\\]*$/;

const ANY_SITE = 'https://site.invalid';

const toPath = (place: string) => toCanonicalPath(new URL(place, ANY_SITE).pathname);

const isHttps = (target: string) => target.startsWith('https://') && URL.canParse(target);

const WRONG_TARGET = 'must lead to a path like /about or to an https address';

/** Follows a chain of redirects. Returns the final target for the Location header, or an error. */
function followRedirects(from: string, redirects: ReadonlyMap<string, string>, { exists }: SitePaths) {
  const passed = new Set([from]);
  let target = redirects.get(from) ?? '';
  for (;;) {
    if (isHttps(target)) return { target: new URL(target).href };
    if (!PLACE.test(target)) return { error: WRONG_TARGET };
    const path = toPath(target);
    if (exists(path)) {
      const { pathname, search, hash } = new URL(target, ANY_SITE);

      return { target: pathname + search + hash };
    }
    if (passed.has(path)) return { error: 'leads to a redirect loop' };
    passed.add(path);
    const next = redirects.get(path);
    if (next === undefined) return { error: `leads to ${path}, where there is no page` };
    target = next;
  }
}

/** Schema of `redirects.yaml`: new paths or https addresses by old path. Reduces each chain to one redirect. */
export const makeRedirectsSchema = (paths: SitePaths) =>
  v.pipe(
    v.record(v.string(), v.string(WRONG_TARGET)),
    v.rawTransform<Record<string, string>, Record<string, string>>(({ dataset: { value: given }, addIssue, NEVER }) => {
      const entries = Object.entries(given).map(([key, value]) => ({ key, value, path: PATH.test(key) ? toPath(key) : '' }));
      const redirects = new Map(entries.map(({ path, value }) => [path, value]));
      const result: Record<string, string> = {};
      const findError = (path: string) => {
        if (path === '') return 'must be a path like /old-page, without ? and #';
        if (paths.isTaken(path)) return 'is the address of a page or file of the site';

        return path in result ? 'is listed twice' : undefined;
      };
      let isRight = true;
      for (const { key, value, path } of entries) {
        const error = findError(path);
        const followed = error === undefined ? followRedirects(path, redirects, paths) : { error };
        if ('target' in followed) result[path] = followed.target;
        else {
          isRight = false;
          addIssue({ message: followed.error, path: [{ type: 'object', origin: 'key', input: given, key, value }] });
        }
      }

      return isRight ? result : NEVER;
    }),
  );
