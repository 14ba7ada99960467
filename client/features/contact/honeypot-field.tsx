import { honeypotName } from '../../../shared/contact/spam-doubts.ts';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';

const ID = `contact-${honeypotName}`;

/** A field for programs: out of sight, out of the tab order and not read out. */
export function HoneypotField() {
  return (
    <VisuallyHidden isUnheard>
      <label htmlFor={ID}>Subject (please leave this empty)</label>
      <input id={ID} type="text" name={honeypotName} tabIndex={-1} autoComplete="off" />
    </VisuallyHidden>
  );
}
