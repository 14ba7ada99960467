import { useEffect, useRef, useState } from 'react';
import { wakeWhenNear } from '../../app/wake-conditions.ts';
import { ServedPart } from '../../components/served-part.tsx';
import type { EstimateForm } from './estimate-form.tsx';
import { WorkedExample } from './worked-example.tsx';

/** How far from the screen the place may be when its chunk is fetched: one screen's height. */
const NEAR = '100% 0px';

/**
 * The estimate: in the server's page a worked example, which the form replaces once its place comes near the screen.
 * Where its chunk can't be fetched the example stays until it comes near again.
 */
export function EstimateSlot() {
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
