import {
  contactFieldNames,
  formWords,
  mapContactFields,
  textFields,
  type ContactFieldName,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { industryOptions } from '../../../shared/contact/industry-options.ts';
import { honeypotName } from '../../../shared/contact/spam-signals.ts';
import type { FieldErrors } from '../../../shared/problem.ts';
import { Field } from '../../components/field.tsx';
import shared from '../../components/shared.module.css';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import styles from './contact-form.module.css';

function getFieldId(name: ContactFieldName): string {
  return `contact-${name}`;
}

interface ContactFieldsProps {
  /** The industry from the page's URL, or ''. */
  readonly preselected: string;
  readonly errors: FieldErrors;
  /** The corrected email address to suggest, if any. */
  readonly suggestion: string | undefined;
  readonly onAccept: () => void;
}

function IndustryField({ preselected, errors }: Pick<ContactFieldsProps, 'preselected' | 'errors'>) {
  return (
    <Field id={getFieldId('industry')} label={formWords.industry} error={errors['industry']}>
      {(control) => (
        <select {...control} name="industry" defaultValue={preselected}>
          <option value="">{formWords.noIndustry}</option>
          {industryOptions.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Returns the suggestion's text, which is also announced to screen readers. */
export const writeSuggestion = (address: string): string => `Did you mean ${address}?`;

/** The form's fields. They are uncontrolled to preserve text typed before hydration. */
export function ContactFields({ preselected, errors, suggestion, onAccept }: ContactFieldsProps) {
  return (
    <div className={styles.fields}>
      {textFields.map(({ name, type, autoComplete, label, isRequired }) => (
        <Field key={name} id={getFieldId(name)} label={label} isRequired={isRequired} error={errors[name]}>
          {(control) => (
            <>
              <input {...control} type={type} name={name} autoComplete={autoComplete} />
              {name === 'email' && suggestion && (
                <button className={shared.linkButton} type="button" onClick={onAccept}>
                  {writeSuggestion(suggestion)}
                </button>
              )}
            </>
          )}
        </Field>
      ))}
      <div className={styles.wide}>
        <IndustryField preselected={preselected} errors={errors} />
      </div>
      <div className={styles.wide}>
        <Field
          id={getFieldId('message')}
          label={formWords.message}
          hint={formWords.messageHint}
          error={errors['message']}
        >
          {(control) => <textarea {...control} name="message" rows={6} />}
        </Field>
      </div>
    </div>
  );
}

const HONEYPOT_ID = `contact-${honeypotName}`;

/** A field that only bots fill in. It is hidden from sight and from screen readers. */
export function HoneypotField() {
  return (
    <VisuallyHidden isAriaHidden>
      <label htmlFor={HONEYPOT_ID}>{formWords.honeypot}</label>
      <input id={HONEYPOT_ID} type="text" name={honeypotName} tabIndex={-1} autoComplete="off" />
    </VisuallyHidden>
  );
}

type FieldElement = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function getField(form: HTMLFormElement, name: ContactFieldName): FieldElement {
  const element = form.elements.namedItem(name);
  if (
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  ) {
    return element;
  }
  throw new Error(`The form has no field ${name}.`);
}

/** Returns the fields' values. Unlike `FormData`, it includes disabled fields. */
export function readTypedFields(form: HTMLFormElement): TypedContactFields {
  return mapContactFields((name) => getField(form, name).value);
}

/** Returns the value of the honeypot field. */
export function readHoneypot(form: HTMLFormElement): string {
  const field = form.elements.namedItem(honeypotName);

  return field instanceof HTMLInputElement ? field.value : '';
}

/** Sets the fields' values. Skips unchanged fields to preserve the cursor position. */
export function writeTypedFields(form: HTMLFormElement, values: TypedContactFields): void {
  for (const name of contactFieldNames) {
    const field = getField(form, name);
    if (field.value !== values[name]) field.value = values[name];
  }
}

/** Replaces the email address and focuses its field. */
export function replaceAddress(form: HTMLFormElement, address: string): void {
  const field = getField(form, 'email');
  field.value = address;
  field.focus();
}

/** Empties all fields, including those the server filled in. */
export function clearFields(form: HTMLFormElement): void {
  for (const name of contactFieldNames) getField(form, name).value = '';
}

/** Focuses the first field with an error, in form order. */
export function focusFirstError(form: HTMLFormElement, errors: FieldErrors): void {
  const name = contactFieldNames.find((field) => errors[field] !== undefined);
  if (!name) return;
  const field = getField(form, name);
  // In Safari, `focus()` doesn't scroll a field out from under the header.
  field.scrollIntoView({ block: 'center', behavior: 'instant' });
  field.focus({ preventScroll: true });
}
