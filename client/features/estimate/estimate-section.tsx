import { useEffect, useRef, useState } from 'react';
import { anchors } from '../../../shared/paths.ts';
import { hydrateWhenNear } from '../../app/hydration-triggers.ts';
import { Section } from '../../components/section.tsx';
import { ServerOnly } from '../../components/server-only.tsx';
import shared from '../../components/shared.module.css';
import type { EstimateForm } from './estimate-form.tsx';
import styles from './estimate.module.css';
import { WorkedExample } from './worked-example.tsx';

const HEADING = 'What does your busywork cost you?';
const LEAD =
  'Count the people who copy, check, chase, and file, and their hours. Your figures stay in your browser.';
const HEADING_ID = 'estimate-title';

/** Distance from the viewport at which the form loads: one screen height. */
const NEAR = '100% 0px';

/**
 * The estimate. The server renders a worked example. The browser replaces it with the form when it comes near the
 * viewport. If the chunk fails to load, the example remains.
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
          // The observer retries when the example comes near the viewport again.
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
    <ServerOnly ref={placeRef} {...hydrateWhenNear}>
      {import.meta.env.SSR && <WorkedExample />}
    </ServerOnly>
  );
}

/** The estimate as a page section. */
export function EstimateSection() {
  return (
    <Section id={anchors.estimate} heading={HEADING} lead={LEAD} tone="tint">
      <EstimateSlot />
    </Section>
  );
}

/** The estimate below an article. */
export function EstimateBox() {
  return (
    <section
      className={`${shared.panel} ${shared.stack} ${styles.box} ${shared.notPrinted}`}
      id={anchors.estimate}
      tabIndex={-1}
      aria-labelledby={HEADING_ID}
    >
      <h2 className={shared.subtitle} id={HEADING_ID}>{HEADING}</h2>
      <p>{LEAD}</p>
      <EstimateSlot />
    </section>
  );
}
