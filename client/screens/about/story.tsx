import styles from './story.module.css';

/** The founder story; its first paragraph is set large. */
export function Story({ paragraphs }: { paragraphs: readonly string[] }) {
  return (
    <div className={styles.story}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  );
}
