import type { PageMeta } from '../../../shared/content/page-meta.ts';

/** With the company first, by which sales tells the tabs of several requests apart; as it is where there is no request. */
export const addCompanyToTitle = (meta: PageMeta, request: { readonly company: string } | undefined): PageMeta =>
  request ? { ...meta, title: `${request.company} – ${meta.title}` } : meta;
