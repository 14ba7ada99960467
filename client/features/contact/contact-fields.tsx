import { contactLimits, writeCount } from '../../../shared/contact/contact-limits.ts';
import type {
  ContactFieldName,
  FieldErrors,
  TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { industryOptions } from '../../../shared/contact/industry-options.ts';
import { Field } from '../../components/field.tsx';
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

/**
 * Focus for pages that work without JavaScript: only the server sets it, because in the browser
 * React would focus the field when it hydrates, away from where the visitor types by then.
 */
function getFirstFocus(name: ContactFieldName, focusedName: ContactFieldName | undefined) {
  return {
    autoFocus: import.meta.env.SSR && name === focusedName,
    suppressHydrationWarning: true,
  };
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
          {...getFirstFocus(name, focusedName)}
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
          {...getFirstFocus('industry', focusedName)}
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
          {...getFirstFocus('message', focusedName)}
          name="message"
          rows={6}
          defaultValue={defaults.message}
        />
      )}
    </Field>
  );
}

/** The six fields; they keep their own values, so what is typed before hydration stays. */
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
