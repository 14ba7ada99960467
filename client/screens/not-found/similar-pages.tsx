import { articleLinks } from 'virtual:article-links';
import { useLocation } from 'react-router-dom';
import { footerColumns } from '../../../shared/content/navigation.ts';
import { pathTo } from '../../../shared/paths.ts';
import { useIsHydrated } from '../../app/page-state.tsx';
import { hydrateNow } from '../../app/hydration-triggers.ts';
import styles from './similar-pages.module.css';
import { findSimilarPaths } from './find-similar-paths.ts';

const MAX_PAGES = 3;

/** Titles by path: the footer's pages, except links with a query or anchor, and the articles. */
const labels: ReadonlyMap<string, string> = new Map([
  ...footerColumns
    .flatMap(({ links }) => links)
    .filter(({ to }) => !/[?#]/.test(to))
    .map(({ label, to }) => [to, label] as const),
  ...articleLinks.map(({ slug, title }) => [pathTo.article(slug), title] as const),
]);

/**
 * Links to the pages with the most similar paths. Rendered in the browser, because the server's 404 page is the same
 * for all paths.
 */
export function SimilarPages() {
  const { pathname } = useLocation();
  const paths = useIsHydrated() ? findSimilarPaths(pathname, [...labels.keys()], MAX_PAGES) : [];
  if (paths.length === 0) return <span hidden {...hydrateNow} />;

  return (
    <ul role="list" className={styles.pages} aria-label="Pages with a similar address">
      {paths.map((path) => (
        <li key={path}>
          <a className={styles.link} href={path}>
            {labels.get(path)}
          </a>
        </li>
      ))}
    </ul>
  );
}
