import { anchors } from '../../../shared/paths.ts';
import { Section } from '../../components/section.tsx';
import { EstimateSlot } from './estimate-slot.tsx';
import styles from './estimate.module.css';

const HEADING = 'What does your busywork cost you?';
const LEAD =
  'Count the people who copy, check, chase, and file, and their hours. Your figures stay in your browser.';
const HEADING_ID = 'estimate-title';

/** The estimate as a band of a page. */
export function EstimateSection() {
  return (
    <Section id={anchors.estimate} heading={HEADING} lead={LEAD} tone="tint">
      <EstimateSlot />
    </Section>
  );
}

/** The estimate after an article's text. */
export function EstimateBox() {
  return (
    <section className={styles.box} id={anchors.estimate} tabIndex={-1} aria-labelledby={HEADING_ID}>
      <h2 id={HEADING_ID}>{HEADING}</h2>
      <p>{LEAD}</p>
      <EstimateSlot />
    </section>
  );
}
