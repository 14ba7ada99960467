import type { CrmRecord } from './crm-provider.ts';

/** One field of a CRM and where its value comes from. */
export interface MappedField {
  /** The CRM's name of the field. */
  readonly to: string;
  /** Null or empty: the field is left out, so that a repeated export wipes nothing. */
  readonly from: (record: CrmRecord) => string | null | undefined;
  /** Longest value the CRM takes, in UTF-16 units; what is longer is cut. */
  readonly max?: number;
}

/** Cuts between characters, also where one takes two units. */
const cut = (value: string, max: number) => value.slice(0, max).replace(/[\uD800-\uDBFF]$/u, '');

/** The fields of a record for a CRM, by its table. */
export function mapFields(
  record: CrmRecord,
  fields: readonly MappedField[],
): Record<string, string> {
  const entries = fields.map(({ to, from, max }) => {
    const value = from(record) ?? '';

    return [to, max === undefined ? value : cut(value, max)] as const;
  });

  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

/** A full name in the two parts many CRMs ask for; a single word is the last name. */
export function splitName(name: string): { readonly first: string; readonly last: string } {
  const words = name.trim().split(/\s+/u);

  return { first: words.slice(0, -1).join(' '), last: words.at(-1) ?? '' };
}
