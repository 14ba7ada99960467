import {
  contactFieldNames,
  contactLimits,
  mapContactFields,
  writeCount,
  type ContactFieldName,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { industryOptions } from '../../../shared/contact/industry-options.ts';
import { honeypotName } from '../../../shared/contact/spam-signals.ts';
import type { FieldErrors } from '../../../shared/problem.ts';
import { Field } from '../../components/field.tsx';
import { getServedFocus } from '../../components/served-focus.ts';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import styles from './contact-form.module.css';

/** The id of a field in the page. */
export function getFieldId(name: ContactFieldName): string {
  return `contact-${name}`;
}

interface ContactFieldsProps {
  readonly defaults: TypedContactFields;
  readonly errors: FieldErrors;
  /** The field a page rendered after a plain post starts in. */
  readonly focusedName: ContactFieldName | undefined;
}

interface TextFieldProps extends ContactFieldsProps {
  readonly name: Exclude<ContactFieldName, 'industry' | 'message'>;
  readonly type: 'text' | 'email' | 'tel';
  readonly label: string;
  readonly autoComplete: string;
  readonly isRequired?: boolean;
  readonly hint?: string;
}

function TextField({
  name,
  type,
  autoComplete,
  defaults,
  errors,
  focusedName,
  ...texts
}: TextFieldProps) {
  return (
    <Field id={getFieldId(name)} error={errors[name]} {...texts}>
      {(control) => (
        <input
          {...control}
          {...getServedFocus(name === focusedName)}
          type={type}
          name={name}
          autoComplete={autoComplete}
          defaultValue={defaults[name]}
        />
      )}
    </Field>
  );
}

function IndustryField({ defaults, errors, focusedName }: ContactFieldsProps) {
  return (
    <Field id={getFieldId('industry')} label="Industry" error={errors['industry']}>
      {(control) => (
        <select
          {...control}
          {...getServedFocus(focusedName === 'industry')}
          name="industry"
          defaultValue={defaults.industry}
        >
          <option value="">Select your industry</option>
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

const MAX_MESSAGE = writeCount(contactLimits.message.max);

function MessageField({ defaults, errors, focusedName }: ContactFieldsProps) {
  return (
    <Field
      id={getFieldId('message')}
      label="Message"
      hint={`What takes up your team’s time? Up to ${MAX_MESSAGE} characters.`}
      error={errors['message']}
    >
      {(control) => (
        <textarea
          {...control}
          {...getServedFocus(focusedName === 'message')}
          name="message"
          rows={6}
          defaultValue={defaults.message}
        />
      )}
    </Field>
  );
}

/** The six fields, uncontrolled: what is typed before hydration stays. */
export function ContactFields(props: ContactFieldsProps) {
  return (
    <div className={styles.fields}>
      <TextField
        {...props}
        name="name"
        type="text"
        label="Full Name"
        autoComplete="name"
        isRequired
      />
      <TextField
        {...props}
        name="email"
        type="email"
        label="Business Email"
        autoComplete="email"
        isRequired
      />
      <TextField
        {...props}
        name="company"
        type="text"
        label="Company Name"
        autoComplete="organization"
        isRequired
      />
      <TextField {...props} name="phone" type="tel" label="Phone" autoComplete="tel" />
      <div className={styles.wide}>
        <IndustryField {...props} />
      </div>
      <div className={styles.wide}>
        <MessageField {...props} />
      </div>
    </div>
  );
}

const HONEYPOT_ID = `contact-${honeypotName}`;

/** A field for programs: out of sight, out of the tab order and not read out. */
export function HoneypotField() {
  return (
    <VisuallyHidden isUnheard>
      <label htmlFor={HONEYPOT_ID}>Subject (please leave this empty)</label>
      <input id={HONEYPOT_ID} type="text" name={honeypotName} tabIndex={-1} autoComplete="off" />
    </VisuallyHidden>
  );
}

/** The control of a field. */
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

/** Reads the fields as they stand, also while they are disabled. */
export function readTypedFields(form: HTMLFormElement): TypedContactFields {
  return mapContactFields((name) => getField(form, name).value);
}

/** Content of the field that no person sees. */
export function readHoneypot(form: HTMLFormElement): string {
  const field = form.elements.namedItem(honeypotName);

  return field instanceof HTMLInputElement ? field.value : '';
}

/** Sets the fields' values; in a field that has its value already the cursor stays. */
export function writeTypedFields(form: HTMLFormElement, values: TypedContactFields): void {
  for (const name of contactFieldNames) {
    const field = getField(form, name);
    if (field.value !== values[name]) field.value = values[name];
  }
}

/** Empties all fields, also those the server had filled. */
export function clearFields(form: HTMLFormElement): void {
  for (const name of contactFieldNames) getField(form, name).value = '';
}

/** Moves focus to the first field, in the order of the form, that has an error. */
export function focusFirstError(form: HTMLFormElement, errors: FieldErrors): void {
  const name = contactFieldNames.find((field) => errors[field] !== undefined);
  if (name) getField(form, name).focus();
}
