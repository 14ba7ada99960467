import {
  contactFieldNames,
  type ContactFieldName,
  type FieldErrors,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { honeypotName } from '../../../shared/contact/spam-doubts.ts';

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
  return Object.fromEntries(
    contactFieldNames.map((name) => [name, getField(form, name).value]),
  ) as TypedContactFields;
}

/** What is in the field that no person sees. */
export function readHoneypot(form: HTMLFormElement): string {
  const field = form.elements.namedItem(honeypotName);

  return field instanceof HTMLInputElement ? field.value : '';
}

/** Puts values into the fields; a field that has its value already keeps its cursor. */
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
