import { useEffect, useRef, useState } from 'react';
import { anchors } from '../../../shared/paths.ts';
import { wakeWhenNear } from '../../app/wake-conditions.ts';
import { Section } from '../../components/section.tsx';
import { ServedPart } from '../../components/served-part.tsx';
import type { EstimateForm } from './estimate-form.tsx';
import styles from './estimate.module.css';
import { WorkedExample } from './worked-example.tsx';

const HEADING = 'What does your busywork cost you?';
const LEAD =
  'Count the people who copy, check, chase, and file, and their hours. Your figures stay in your browser.';
const HEADING_ID = 'estimate-title';

/** How far from the screen the place may be when its chunk is fetched: one screen's height. */
const NEAR = '100% 0px';

/**
 * The estimate: in the server's page a worked example, which the form replaces once its place comes near the screen.
 * Where its chunk can't be fetched the example stays until it comes near again.
 */
function EstimateSlot() {
  const placeRef = useRef<HTMLDivElement>(null);
  const [Form, setForm] = useState<typeof EstimateForm>();

  useEffect(() => {
    const place = placeRef.current;
    if (!place) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        import('./estimate-form.tsx').then(
          ({ EstimateForm: Loaded }) => {
            observer.disconnect();
            setForm(() => Loaded);
          },
          // Tried again when the place next comes near.
          () => undefined,
        );
      },
      { rootMargin: NEAR },
    );
    observer.observe(place);

    return () => observer.disconnect();
  }, []);

  if (Form) return <Form />;

  return (
    <ServedPart ref={placeRef} {...wakeWhenNear}>
      {import.meta.env.SSR && <WorkedExample />}
    </ServedPart>
  );
}

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
