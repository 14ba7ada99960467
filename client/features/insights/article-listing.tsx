import { useId, type SubmitEvent } from 'react';
import type { ListedArticle } from '../../../shared/content/article.ts';
import type { ArticleCategory } from '../../../shared/content/article-categories.ts';
import { routePatterns } from '../../../shared/paths.ts';
import { Icon } from '../../components/icon.tsx';
import shared from '../../components/shared.module.css';
import { SubmitButton } from '../../components/submit-button.tsx';
import { ArticleCard } from './article-card.tsx';
import styles from './article-listing.module.css';
import { FilterForm } from './filter-form.tsx';
import { filterArticles, useListingFilter } from './use-listing-filter.ts';

/** A button that locks the gated listing. */
function LockButton() {
  return (
    <form className={styles.lock} method="post" action={routePatterns.insights}>
      <SubmitButton variant="outline" size="small" name="action" value="lock">
        Lock Content
        <Icon name="lock" />
      </SubmitButton>
    </form>
  );
}

interface GroupProps {
  readonly heading: string;
  readonly articles: readonly ListedArticle[];
  readonly layout: 'tall' | 'flat';
}

function Group({ heading, articles, layout }: GroupProps) {
  const headingId = useId();
  if (articles.length === 0) return null;

  return (
    <section className={shared.stack} aria-labelledby={headingId}>
      <h2 className={shared.subtitle} id={headingId}>
        {heading}
      </h2>
      <ul className={styles[layout]} role="list">
        {articles.map((article) => (
          <li key={article.slug}>
            <ArticleCard article={article} layout={layout} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NothingFoundProps {
  /** The selected category, if it has no articles and the search is empty. */
  readonly emptyCategory: ArticleCategory | undefined;
  readonly onClear: () => void;
}

function NothingFound({ emptyCategory, onClear }: NothingFoundProps) {
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onClear();
  };

  return (
    <div className={styles.empty}>
      <h2 className={shared.subtitle}>
        {emptyCategory ? `No articles in ${emptyCategory} yet` : 'Nothing found'}
      </h2>
      <p>
        {emptyCategory
          ? 'Choose another category, or show all articles.'
          : 'No articles match this search. Try fewer words or another category, or show all articles.'}
      </p>
      <form action={routePatterns.insights} onSubmit={handleSubmit}>
        <SubmitButton variant="outline" size="small">
          Show all articles
        </SubmitButton>
      </form>
    </div>
  );
}

interface ArticleListingProps {
  readonly articles: readonly ListedArticle[];
  /** Shows the lock button. */
  readonly isGated: boolean;
}

/** The article listing: featured and recent articles, or those that match the search and category. */
export function ArticleListing({ articles, isGated }: ArticleListingProps) {
  const { onClear, ...form } = useListingFilter();
  const { filter } = form;
  const hasSearch = filter.search.trim() !== '';
  const isFiltered = hasSearch || filter.category !== undefined;
  const found = filterArticles(articles, filter);
  const count = found.length === 1 ? '1 article' : `${found.length} articles`;

  return (
    <div className={styles.listing}>
      <div className={styles.tools}>
        <FilterForm {...form} />
        {isGated && <LockButton />}
        <p className={shared.note} role="status">
          {isFiltered ? `${count} of ${articles.length}` : count}
        </p>
      </div>
      {!isFiltered && (
        <>
          <Group
            heading="Featured"
            articles={articles.filter(({ isFeatured }) => isFeatured)}
            layout="tall"
          />
          <Group
            heading="Recent"
            articles={articles.filter(({ isFeatured }) => !isFeatured)}
            layout="flat"
          />
        </>
      )}
      {isFiltered && found.length > 0 && <Group heading="Results" articles={found} layout="tall" />}
      {articles.length === 0 ? (
        <p>No articles yet</p>
      ) : (
        found.length === 0 && <NothingFound emptyCategory={hasSearch ? undefined : filter.category} onClear={onClear} />
      )}
    </div>
  );
}
