import { anchors } from '../../shared/content/anchors.ts';
import styles from './skip-link.module.css';

/** The first stop of the Tab key: past the header. */
export function SkipLink() {
  return (
    <a className={styles.link} href={`#${anchors.main}`}>
      Skip to content
    </a>
  );
}
