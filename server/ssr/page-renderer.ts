import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { PageState } from '../../shared/rendering.ts';
import type { Site } from '../../shared/site.ts';
import type { RenderDocument } from './render-document.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** A page as it is sent, in each encoding. */
export interface KeptPage {
  readonly identity: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
  /** Without quotes and without the encoding's suffix. */
  readonly tag: string;
}

export interface PageRenderer {
  /** The same for everyone: rendered once, then kept in memory under its location. */
  readonly renderKept: (location: string) => Promise<KeptPage>;
  /** The not-found page; one for all paths, so that unknown paths fill no memory. */
  readonly renderNotFound: () => Promise<KeptPage>;
  /** For one visitor: rendered anew and never kept. */
  readonly renderFresh: (
    location: string,
    state: Partial<Pick<PageState, 'contactFormResult' | 'followUp' | 'isNotFound'>>,
  ) => Promise<string>;
}

async function packPage(html: string): Promise<KeptPage> {
  const identity = Buffer.from(html);
  const [br, gz] = await Promise.all([
    compressBrotli(identity, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
    compressGzip(identity, { level: constants.Z_BEST_COMPRESSION }),
  ]);

  return {
    identity,
    br,
    gzip: gz,
    tag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
  };
}

/** A location no route matches: what all unknown paths are rendered as. */
const NOT_FOUND_LOCATION = '/not-found';

/**
 * Renders pages and keeps the public ones. Callers pass only locations of pages that exist with
 * query values the site knows, so what is kept is bounded by the site itself.
 * @param keepsPages false while developing: the next request shows the next state of the source
 */
export function createPageRenderer(
  renderDocument: RenderDocument,
  site: Site,
  { keepsPages }: { readonly keepsPages: boolean },
): PageRenderer {
  const kept = new Map<string, Promise<KeptPage>>();

  const keep = (key: string, render: () => Promise<string>): Promise<KeptPage> => {
    const known = kept.get(key);
    if (known) return known;

    const page = render().then(packPage);
    if (keepsPages) kept.set(key, page);
    // A failed rendering is not worth keeping; who asked for it gets the error.
    page.catch(() => kept.delete(key));

    return page;
  };

  return {
    renderKept: (location) =>
      keep(location, () => renderDocument(location, { site, isNotFound: false })),
    renderNotFound: () =>
      keep(NOT_FOUND_LOCATION, () =>
        renderDocument(NOT_FOUND_LOCATION, { site, isNotFound: true }),
      ),
    renderFresh: (location, state) =>
      renderDocument(location, { site, isNotFound: false, ...state }),
  };
}
