import styles from './article-decoys.module.css';

/** As many as the listing has. */
const decoys = Array.from({ length: 9 }, (_, index) => index);

/** Shapes of cards without a word of the listing: there is nothing to read under the blur. */
export function ArticleDecoys() {
  return (
    <div className={styles.decoys} inert aria-hidden="true">
      {decoys.map((index) => (
        <div key={index} className={styles.card}>
          <div className={styles.picture} />
          <div className={styles.line} />
          <div className={styles.line} />
          <div className={styles.line} />
        </div>
      ))}
    </div>
  );
}
