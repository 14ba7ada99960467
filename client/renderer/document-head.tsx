import type { ScreenAssets } from '../../shared/rendering.ts';
import type { Site } from '../../shared/site.ts';
import { formatTitle, type PageMeta } from '../app/page-meta.ts';

interface DocumentHeadProps {
  readonly meta: PageMeta;
  readonly site: Site;
  /** Undefined for a page that search engines should not list. */
  readonly canonicalPath: string | undefined;
  readonly assets: ScreenAssets;
}

function SharingTags({ meta, site, canonicalPath }: Omit<DocumentHeadProps, 'assets'>) {
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site.name} />
      <meta property="og:title" content={meta.title} />
      <meta property="og:description" content={meta.description} />
      {canonicalPath !== undefined && (
        <meta property="og:url" content={site.publicUrl + canonicalPath} />
      )}
      <meta name="twitter:card" content="summary" />
    </>
  );
}

/** Everything inside `<head>` but what vite-plugin-ssr adds for the entry. */
export function DocumentHead({ meta, site, canonicalPath, assets }: DocumentHeadProps) {
  return (
    <>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{formatTitle(meta, site)}</title>
      <meta name="description" content={meta.description} />
      {canonicalPath === undefined && <meta name="robots" content="noindex" />}
      {canonicalPath !== undefined && (
        <link rel="canonical" href={site.publicUrl + canonicalPath} />
      )}
      <SharingTags meta={meta} site={site} canonicalPath={canonicalPath} />
      <meta name="theme-color" content="#0F1F16" />
      <link rel="icon" href="/favicon.ico" sizes="32x32" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      {assets.styles.map((href) => (
        <link key={href} rel="stylesheet" href={href} />
      ))}
      {assets.scripts.map((href) => (
        <link key={href} rel="modulepreload" href={href} />
      ))}
    </>
  );
}
