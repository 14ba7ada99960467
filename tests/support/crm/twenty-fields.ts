import { domainToASCII } from 'node:url';
import { respondJson, Refusal, type CrmFault, type CrmResponse } from './fake-crm.ts';

export type TwentyValues = Record<string, unknown>;

export interface TwentyRecord extends TwentyValues {
  readonly id: string;
  /** When it was put into the bin; null for one that is not there. */
  deletedAt: string | null;
}

type FieldKind = 'text' | 'number' | 'id' | 'name' | 'emails' | 'phones' | 'links' | 'richText';

export interface TwentyObject {
  readonly singular: string;
  readonly plural: string;
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** Paths of values that no two records share, those in the bin included. */
  readonly unique: readonly string[];
  /** Fields that hold another record's id, and the objects these are of. */
  readonly relations: Readonly<Record<string, string>>;
  readonly records: TwentyRecord[];
}

/** The parts of a field that has some, and what each is without a value. */
const parts: Partial<Record<FieldKind, TwentyValues>> = {
  name: { firstName: '', lastName: '' },
  emails: { primaryEmail: '', additionalEmails: [] },
  phones: {
    primaryPhoneNumber: '',
    primaryPhoneCountryCode: '',
    primaryPhoneCallingCode: '',
    additionalPhones: [],
  },
  links: { primaryLinkLabel: '', primaryLinkUrl: '', secondaryLinks: [] },
  richText: { blocknote: null, markdown: null },
};
const lists = ['additionalEmails', 'additionalPhones', 'secondaryLinks'];

const errorNames: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  403: 'ForbiddenException',
  404: 'NotFoundException',
};

/** Twenty's error form. */
export function respondError(status: number, message: string, name = errorNames[status]): CrmResponse {
  return respondJson(status, { statusCode: status, error: name, messages: [message] });
}

export function refuse(...error: Parameters<typeof respondError>): never {
  throw new Refusal(respondError(...error));
}

/** A fault of its own, a query that took too long: it has the status of what is refused. */
export const makeQueryTimeout = (on: RegExp): CrmFault => ({
  ...respondError(400, 'Query read timeout', 'TwentyORMException'),
  on,
  kind: 'response',
});

function isObject(value: unknown): value is TwentyValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** As zod's: no dot at either end of the name or beside another, few signs, a domain in letters at its end. */
const mailPattern = /^(?!\.)(?!.*\.\.)[a-z0-9_'+.-]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;

/** Refuses an id that is no UUID of version 4. */
export function checkId(value: unknown, field: string): void {
  if (typeof value === 'string' && idPattern.test(value)) return;
  refuse(400, `Invalid UUID value ${JSON.stringify(value)} for field "${field}"`);
}

/** Puts an address into the form that Twenty stores and compares: lower case, the domain in ASCII. */
function cleanMail(value: unknown, field: string): string {
  if (value === '' || value === null) return '';
  const [local = '', host = ''] = typeof value === 'string' ? value.split('@') : [];
  const domain = domainToASCII(host);
  if (typeof value !== 'string' || !mailPattern.test(`${local}@${domain}`)) {
    refuse(400, `Invalid string value ${JSON.stringify(value)} for email field "${field}"`);
  }

  return `${local}@${domain}`.toLowerCase();
}

/** A calling code at a number's start: of one digit, of two, else of three. */
const callingCodePattern = /^\+(1|7|2[07]|3[0-46-9]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)(\d{2,})$/;

/** Some countries' codes; a code that several share, or another country's, tells none. */
const countries: Readonly<Record<string, string>> = { 33: 'FR', 41: 'CH', 43: 'AT', 49: 'DE' };

/** Splits a number at its calling code; one without it is refused unless the code is sent beside it. */
function cleanPhones(sent: TwentyValues): TwentyValues {
  const { primaryPhoneNumber: number, primaryPhoneCallingCode, primaryPhoneCountryCode } = sent;
  if (typeof primaryPhoneCountryCode === 'string' && !/^([A-Z]{2})?$/.test(primaryPhoneCountryCode)) {
    refuse(400, `Invalid country code ${primaryPhoneCountryCode}`);
  }
  if (typeof number !== 'string' || number === '') return sent;
  const digits = number.replace(/[\s()./-]/g, '');
  const given = typeof primaryPhoneCallingCode === 'string' ? primaryPhoneCallingCode : '';
  const [, code, national] = callingCodePattern.exec(digits.startsWith('+') ? digits : given + digits) ?? [];
  if (code === undefined || national === undefined) {
    return refuse(400, `Provided phone number is invalid ${number}`);
  }
  if (given !== '' && given !== `+${code}`) {
    refuse(400, 'Provided and inferred calling code are conflicting');
  }
  const country = primaryPhoneCountryCode || (countries[code] ?? '');

  return {
    ...sent,
    primaryPhoneNumber: national,
    primaryPhoneCallingCode: `+${code}`,
    primaryPhoneCountryCode: country,
  };
}

/** An address keeps its path's case and loses it of its host, and a slash at its end. */
function cleanLink(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [, origin = '', rest = value] = /^(\w+:\/\/[^/?#]*|[^/?#]*)(.*)$/s.exec(value) ?? [];

  return (origin.toLowerCase() + rest).replace(/\/$/, '');
}

function cleanParts(kind: FieldKind, field: string, sent: TwentyValues): TwentyValues {
  const known = parts[kind] ?? {};
  for (const [part, value] of Object.entries(sent)) {
    if (!Object.hasOwn(known, part)) refuse(400, `Invalid subfield '${part}' for field "${field}"`);
    const isWellTyped = lists.includes(part)
      ? value === null || Array.isArray(value)
      : value === null || typeof value === 'string';
    if (!isWellTyped) refuse(400, `Invalid value ${JSON.stringify(value)} for field "${field}.${part}"`);
  }
  if (kind === 'phones') return cleanPhones(sent);
  if (kind === 'links' && 'primaryLinkUrl' in sent) {
    return { ...sent, primaryLinkUrl: cleanLink(sent['primaryLinkUrl']) };
  }
  if (kind !== 'emails') return sent;
  const { primaryEmail, additionalEmails } = sent;
  const more = Array.isArray(additionalEmails) ? additionalEmails : [];

  return {
    ...(primaryEmail === undefined ? {} : { primaryEmail: cleanMail(primaryEmail, `${field}.primaryEmail`) }),
    ...(additionalEmails === undefined
      ? {}
      : { additionalEmails: more.map((mail) => cleanMail(mail, `${field}.additionalEmails`)) }),
  };
}

function cleanValue(kind: FieldKind, field: string, value: unknown): unknown {
  const wrong = () => refuse(400, `Invalid value ${JSON.stringify(value)} for field "${field}"`);
  if (value === null) return null;
  if (kind === 'id') checkId(value, field);
  if (kind === 'text' && typeof value !== 'string') return wrong();
  if (kind === 'number' && typeof value !== 'number') return wrong();
  if (parts[kind] === undefined) return value;

  return isObject(value) ? cleanParts(kind, field, value) : wrong();
}

/** Checks what is sent for a record and brings it into the form that is stored. */
export function cleanValues({ singular, fields }: TwentyObject, sent: unknown): TwentyValues {
  if (!isObject(sent)) return refuse(400, 'Request body is not an object');
  const cleaned = Object.entries(sent).map(([field, value]) => {
    const kind = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (kind === undefined) {
      return refuse(400, `Object ${singular} doesn't have any "${field}" field.`);
    }

    return [field, cleanValue(kind, field, value)] as const;
  });

  return Object.fromEntries(cleaned);
}

/** Writes values into a record: of a field with parts those that were sent. */
export function applyValues({ fields }: TwentyObject, record: TwentyRecord, values: TwentyValues): void {
  for (const [field, value] of Object.entries(values)) {
    const kind = fields[field] ?? 'text';
    const own = record[field];
    const isWhole = parts[kind] === undefined || value === null;
    const empty = parts[kind] ?? (kind === 'text' ? '' : null);
    record[field] = isWhole
      ? (value ?? structuredClone(empty))
      : { ...(isObject(own) ? own : {}), ...(value as TwentyValues) };
  }
}

/** Every field without a value. */
export function listEmptyValues({ fields }: TwentyObject): TwentyValues {
  const empty = Object.entries(fields).map(([field, kind]) => [
    field,
    structuredClone(parts[kind]) ?? (kind === 'text' ? '' : null),
  ]);

  return Object.fromEntries(empty) as TwentyValues;
}

/** The value at a path of names with dots between them. */
export function readPath(values: TwentyValues, path: string): unknown {
  let value: unknown = values;
  for (const name of path.split('.')) value = isObject(value) ? value[name] : undefined;

  return value;
}

/** Whether an object has a field at this path. */
export function hasPath({ fields }: TwentyObject, path: string): boolean {
  const [field = '', part] = path.split('.');
  if (part === undefined) return [...Object.keys(fields), 'createdAt', 'updatedAt', 'deletedAt'].includes(field);
  const kind = fields[field];

  return kind !== undefined && Object.hasOwn(parts[kind] ?? {}, part);
}
