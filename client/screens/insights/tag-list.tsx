import styles from './tag-list.module.css';

/** Short words side by side. */
export function TagList({ tags }: { tags: readonly string[] }) {
  return (
    <ul className={styles.list} role="list">
      {tags.map((tag) => (
        <li key={tag} className={styles.tag}>
          {tag}
        </li>
      ))}
    </ul>
  );
}
