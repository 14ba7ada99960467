import {
  readContactFields,
  type FieldErrors,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';

/** The errors after a field that has one was changed: its message goes or becomes the new one. */
export function recheckField(
  errors: FieldErrors,
  name: string,
  values: TypedContactFields,
): FieldErrors {
  if (errors[name] === undefined) return errors;

  const { [name]: _settled, ...others } = errors;
  const reading = readContactFields(values);
  const message = reading.ok ? undefined : reading.errors[name];

  return message === undefined ? others : { ...others, [name]: message };
}
