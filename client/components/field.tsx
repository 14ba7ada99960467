import type { ReactNode } from 'react';
import styles from './field.module.css';
import { Icon } from './icon.tsx';

/** Attributes of a field's input, select or textarea. */
interface FieldControlProps {
  readonly id: string;
  readonly className: string | undefined;
  readonly required: boolean;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly isRequired?: boolean;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Renders the control with the attributes that connect it to its label, hint and error. */
  readonly children: (control: FieldControlProps) => ReactNode;
}

/** A form field with a label, a hint and an error message. */
export function Field({ id, label, isRequired = false, hint, error, children }: FieldProps) {
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = [...(error ? [errorId] : []), ...(hint ? [hintId] : [])].join(' ');

  return (
    <div className={styles.field}>
      <div className={styles.labelRow}>
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
        {isRequired && (
          <span className={styles.mark} aria-hidden="true">
            *
          </span>
        )}
      </div>
      {hint && (
        <p className={styles.hint} id={hintId}>
          {hint}
        </p>
      )}
      {children({
        id,
        className: styles.control,
        required: isRequired,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {error && (
        <p className={styles.error} id={errorId}>
          <Icon className={styles.errorIcon} name="circle-alert" />
          {error}
        </p>
      )}
    </div>
  );
}
