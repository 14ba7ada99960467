const LINK = /\b(?:href|src|poster)="([^"]*)"|<loc>([^<]*)/g;

/** Follows all of the site's links from these paths. Returns the dead ones. */
export async function findDeadLinks(origin: string, starts: readonly string[]): Promise<string[]> {
  const dead: string[] = [];
  /** The ids on each page; undefined after a redirect, because its target needs no anchor. */
  const idsByPath = new Map<string, readonly string[] | undefined>();
  const visit = async (path: string, from: string) => {
    const response = await fetch(origin + path);
    const text = await response.text();
    const ids = [...text.matchAll(/\bid="([^"]*)"/g)].map(([, id = '']) => id);
    idsByPath.set(path, response.redirected ? undefined : ids);
    if (!response.ok) dead.push(`${response.status} ${path} on ${from}`);
    if (!/html|xml/.test(response.headers.get('content-type') ?? '')) return;
    for (const [, link, place] of text.matchAll(LINK)) {
      const { origin: linked, pathname, search, hash } = new URL((link ?? place ?? '').replaceAll('&amp;', '&'), origin + path);
      if (linked !== origin) continue;
      if (!idsByPath.has(pathname + search)) await visit(pathname + search, path);
      if (hash && idsByPath.get(pathname + search)?.includes(hash.slice(1)) === false) dead.push(`${pathname}${hash} on ${path}`);
    }
  };
  for (const path of starts) await visit(path, 'the list');

  return dead;
}
