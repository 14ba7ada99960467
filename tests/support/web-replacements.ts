import type { ScryptOptions } from 'node:crypto';
import { staticFiles } from '../../server/http/static-files.ts';
import { readBuiltAssets } from '../../server/ssr/document-assets.ts';
import { loadBuiltPages } from '../../server/ssr/render-document.ts';

/** What the web application is made of beside its settings: the built pages. */
export const loadFrontEnd = async () => ({
  renderDocument: await loadBuiltPages(await readBuiltAssets()),
  assets: staticFiles,
  isBuilt: true,
});

/** A thousandth of the password's cost that is safe, since tests check dozens, and no load: theirs is not the site's. */
export const webReplacements = {
  passwordCost: { N: 2 ** 6, r: 8, p: 1 } satisfies ScryptOptions,
  load: { isOverloaded: () => false },
};
