import type { Ref, SubmitEvent } from 'react';
import { articleCategories } from '../../../shared/content/article-categories.ts';
import { insightsQuery, routePatterns } from '../../../shared/paths.ts';
import buttonStyles from '../../components/button.module.css';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import styles from './filter-form.module.css';
import { findCategory, type ListingFilter } from './use-listing-filter.ts';

interface FilterFormProps {
  readonly filter: ListingFilter;
  readonly searchRef: Ref<HTMLInputElement>;
  readonly categoryRef: Ref<HTMLSelectElement>;
  readonly onType: () => void;
  readonly onChoose: (category: ListingFilter['category']) => void;
  readonly onSubmit: () => void;
}

const { button, regular, solid } = buttonStyles;

/** The search and category fields. Without scripts, the button submits them to the server. */
export function FilterForm({ filter, searchRef, categoryRef, ...handlers }: FilterFormProps) {
  const { onType, onChoose, onSubmit } = handlers;
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit();
  };

  return (
    <form
      className={styles.form}
      role="search"
      aria-label="Articles"
      action={routePatterns.insights}
      onSubmit={handleSubmit}
    >
      <Field id="insights-search" label="Search">
        {(control) => (
          <input
            {...control}
            ref={searchRef}
            type="search"
            name={insightsQuery.search}
            defaultValue={filter.search}
            autoComplete="off"
            enterKeyHint="search"
            onInput={onType}
          />
        )}
      </Field>
      <Field id="insights-category" label="Category">
        {(control) => (
          <select
            {...control}
            ref={categoryRef}
            name={insightsQuery.category}
            value={filter.category ?? ''}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => onChoose(findCategory(value))}
          >
            <option value="">All</option>
            {articleCategories.map((category) => (
              <option key={category}>{category}</option>
            ))}
          </select>
        )}
      </Field>
      <button className={`${button} ${regular} ${solid} ${styles.submit}`} type="submit" aria-label="Search">
        <Icon name="search" />
      </button>
    </form>
  );
}
