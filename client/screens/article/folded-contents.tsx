import { Icon } from '../../components/icon.tsx';
import { ContentsList, type Heading } from '../../components/table-of-contents.tsx';
import styles from './folded-contents.module.css';

/** The contents above the text, for screens without room beside it; opens without scripts. */
export function FoldedContents({ headings }: { headings: readonly Heading[] }) {
  return (
    <nav className={styles.contents} aria-label="On this page">
      <details>
        <summary className={styles.title}>
          On this page
          <Icon className={styles.chevron} name="chevron-down" />
        </summary>
        <ContentsList headings={headings} />
      </details>
    </nav>
  );
}
