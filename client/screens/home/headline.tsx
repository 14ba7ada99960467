import styles from './headline.module.css';

/** The site's headline message; its compound stays on one line. */
export function Headline() {
  return (
    <>
      We handle the <span className={styles.compound}>non-revenue</span> work so you can focus on
      revenue
    </>
  );
}
