import { brand } from '#content/brand';
import { siteWords } from '#content/site-words';
import { fontFiles } from 'virtual:font-files';
import { formatTitle, type PageMeta } from '../../shared/content/page-meta.ts';
import { siteFilePaths, iconPaths } from '../../shared/paths.ts';
import type { DocumentAssets } from '../../shared/document-assets.ts';
import type { Site } from '../../shared/site.ts';
import { listPicturePreloads, type PictureSource } from '../components/picture-source.ts';
import { makeStructuredData, serializeStructuredData } from './structured-data.ts';

interface DocumentHeadProps {
  readonly meta: PageMeta;
  readonly site: Site;
  /** Undefined for a page that search engines must not index. */
  readonly canonicalPath: string | undefined;
  /** The hero's picture, which is preloaded as the largest element in the first view. */
  readonly heroPicture: PictureSource | undefined;
  /** CSS for the first view. */
  readonly criticalStyles: string | undefined;
  readonly assets: DocumentAssets;
}

type SharingTagsProps = Pick<DocumentHeadProps, 'meta' | 'site' | 'assets'> & {
  readonly canonicalPath: string;
};

/** The Open Graph locale. Its default is `en_US`. */
const locale = siteWords.locale.replaceAll('-', '_');

/** The tags for link previews (Open Graph, Twitter cards). */
function SharingTags({ meta, site, canonicalPath, assets }: SharingTagsProps) {
  const picture = assets.findSharingPicture(canonicalPath);

  return (
    <>
      <meta property="og:type" content={meta.article ? 'article' : 'website'} />
      {meta.article && (
        <>
          <meta property="article:published_time" content={meta.article.publishedOn} />
          <meta property="article:modified_time" content={meta.updatedOn} />
          <meta property="article:section" content={meta.article.section} />
        </>
      )}
      {locale !== 'en_US' && <meta property="og:locale" content={locale} />}
      <meta property="og:site_name" content={site.name} />
      <meta property="og:title" content={meta.title} />
      <meta property="og:description" content={meta.description} />
      <meta property="og:url" content={site.publicUrl + canonicalPath} />
      <meta name="twitter:card" content="summary_large_image" />
      {picture !== undefined && (
        <>
          <meta property="og:image" content={site.publicUrl + picture} />
          <meta property="og:image:type" content="image/jpeg" />
          <meta property="og:image:width" content="1200" />
          <meta property="og:image:height" content="630" />
          <meta property="og:image:alt" content={meta.title} />
        </>
      )}
    </>
  );
}

function Preloads({ heroPicture, assets }: Pick<DocumentHeadProps, 'heroPicture' | 'assets'>) {
  return (
    <>
      {heroPicture &&
        listPicturePreloads(heroPicture).map((preload) => (
          <link key={preload.imageSrcSet} rel="preload" as="image" fetchPriority="high" {...preload} />
        ))}
      {assets.styleSheet !== undefined &&
        fontFiles.map((file) => (
          <link key={file} rel="preload" as="font" type="font/woff2" href={file} crossOrigin="" />
        ))}
    </>
  );
}

function StructuredData(input: Parameters<typeof makeStructuredData>[0]) {
  const json = serializeStructuredData(makeStructuredData(input));

  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />;
}

/** The contents of `<head>`. */
export function DocumentHead({
  meta,
  site,
  canonicalPath,
  heroPicture,
  criticalStyles,
  assets,
}: DocumentHeadProps) {
  return (
    <>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{formatTitle(meta, site)}</title>
      <meta name="description" content={meta.description} />
      {canonicalPath === undefined ? (
        <meta name="robots" content="noindex" />
      ) : (
        <link rel="canonical" href={site.publicUrl + canonicalPath} />
      )}
      <Preloads heroPicture={heroPicture} assets={assets} />
      {criticalStyles !== undefined && (
        <style dangerouslySetInnerHTML={{ __html: criticalStyles }} />
      )}
      {canonicalPath !== undefined && (
        <SharingTags meta={meta} site={site} canonicalPath={canonicalPath} assets={assets} />
      )}
      <meta name="theme-color" content={brand.colors.deep} />
      <link rel="icon" href={iconPaths.ico} sizes="32x32" />
      <link rel="icon" href={iconPaths.svg} type="image/svg+xml" />
      <link rel="apple-touch-icon" href={iconPaths.appleTouch} />
      <link rel="alternate" type="application/atom+xml" href={siteFilePaths.feed} />
      <link rel="manifest" href={siteFilePaths.webManifest} />
      <StructuredData
        site={site}
        meta={meta}
        canonicalPath={canonicalPath}
        picturePath={canonicalPath === undefined ? undefined : assets.findSharingPicture(canonicalPath)}
      />
    </>
  );
}
