import { Refusal, type CrmResponse } from './fake-crm.ts';

export type EspocrmValues = Record<string, unknown>;

/** A lead with all its attributes; null for no value. */
export interface EspocrmLead extends EspocrmValues {
  readonly id: string;
}

/** A field of one attribute, which has the field's own name. */
interface FieldRule {
  readonly kind: 'varchar' | 'text' | 'email' | 'phone' | 'url' | 'enum' | 'bool';
  /** In characters; texts have none. */
  readonly maxLength?: number;
  /** Refuses the characters < > =. */
  readonly isPlain?: boolean;
  /** The values of an enumeration; '' among them allows none. */
  readonly options?: readonly string[];
  readonly initial?: string;
}
export type FieldRules = Readonly<Record<string, FieldRule>>;

const LONGEST_NAME = 100;
/** A varchar's that sets no other. */
const LONGEST_VARCHAR = 255;
const LONGEST_PHONE = 36;

/** Leads as installed, without the address. */
export const standardFields: FieldRules = {
  salutationName: { kind: 'enum', options: ['', 'Mr.', 'Ms.', 'Mrs.', 'Dr.'] },
  firstName: { kind: 'varchar', maxLength: LONGEST_NAME, isPlain: true },
  lastName: { kind: 'varchar', maxLength: LONGEST_NAME, isPlain: true },
  title: { kind: 'varchar', maxLength: LONGEST_NAME, isPlain: true },
  status: {
    kind: 'enum',
    options: ['New', 'Assigned', 'In Process', 'Converted', 'Recycled', 'Dead'],
    initial: 'New',
  },
  source: {
    kind: 'enum',
    options: [
      ...['', 'Call', 'Email', 'Existing Customer', 'Partner', 'Public Relations'],
      ...['Web Site', 'Campaign', 'Other'],
    ],
  },
  // The first of some fifty.
  industry: { kind: 'enum', options: ['', 'Advertising', 'Aerospace', 'Agriculture'] },
  website: { kind: 'url', maxLength: LONGEST_VARCHAR },
  emailAddress: { kind: 'email', maxLength: LONGEST_VARCHAR },
  phoneNumber: { kind: 'phone', maxLength: LONGEST_PHONE },
  doNotCall: { kind: 'bool' },
  description: { kind: 'text' },
  accountName: { kind: 'varchar', maxLength: LONGEST_VARCHAR, isPlain: true },
};

/** What the Entity Manager makes of a text field that an administrator adds. */
export const customField: FieldRule = { kind: 'varchar', maxLength: LONGEST_NAME };

/** EspoCRM's own pattern for an address with or without its protocol; it allows & and ~ only after a dot. */
const urlPattern =
  /^([a-zA-Z0-9]+:\/\/)?[a-zA-Z0-9%./?:@\-_=#$!+*()',]+\.([a-zA-Z0-9%&./?:@\-_=#$!+*()',~])*$/;
/** Which characters a phone number may have at all. */
const loosePhonePattern = /^[0-9A-Za-z_@:#+()\-. ]+$/;
/** Roughly what libphonenumber takes for possible, written as E.164. */
const internationalPattern = /^\+[1-9]\d{6,14}$/;
/** PHP's filter: ASCII only, a domain with a dot. */
const mailPattern =
  /^(?=.{1,254}$)(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** An error without a body; its reason is in the header. */
export function respondError(status: number, reason = ''): CrmResponse {
  const headers = { 'content-type': 'text/html; charset=UTF-8' };

  return { status, headers: reason === '' ? headers : { ...headers, 'x-status-reason': reason } };
}

export function refuse(...error: Parameters<typeof respondError>): never {
  throw new Refusal(respondError(...error));
}

/** A value that a field refuses. The body is JSON, its content type is not. */
function refuseValue(field: string, type: string): never {
  const reason = `Field validation failure; entityType: Lead, field: ${field}, type: ${type}.`;
  const data = { field, type };
  const messageTranslation = { label: 'validationFailure', scope: null, data };

  throw new Refusal({ ...respondError(400, reason), body: JSON.stringify({ messageTranslation }) });
}

/** A number with its + loses what separates its digits; others stay as they are. */
function cleanPhone(value: string, isInternational: boolean): string {
  return isInternational && /^\+[\d\s().-]+$/.test(value) ? `+${value.replace(/\D/g, '')}` : value;
}

/** Makes text of what was sent for a text, as EspoCRM 10 does. */
function makeText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return 'Array';
  if (typeof value === 'object') return 'Object';
  if (typeof value === 'boolean') return value ? '1' : '';

  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cleanValue({ kind }: FieldRule, sent: unknown, isInternational: boolean): unknown {
  if (kind === 'bool') return sent === true || sent === 1 || sent === '1' || sent === 'true';
  if (kind === 'phone' && typeof sent === 'object' && sent !== null) refuse(500);
  const text = makeText(sent);
  if (kind === 'text') return text === '' ? null : text;
  if (kind === 'enum') return text;
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return null;

  return kind === 'phone' ? cleanPhone(trimmed, isInternational) : trimmed;
}

/** The name of the first rule that a value breaks. */
function findFault(rule: FieldRule, value: unknown, isInternational: boolean): string | undefined {
  const { kind, options, maxLength = Infinity, isPlain = false } = rule;
  if (options !== undefined) {
    return options.some((option) => option === (value ?? '')) ? undefined : 'valid';
  }
  if (typeof value !== 'string') return undefined;
  const isTooLong = [...value].length > maxLength;
  if (kind === 'phone') {
    const isValid = (isInternational ? internationalPattern : loosePhonePattern).test(value);
    if (!isValid) return 'valid';
  }
  if (kind === 'email' && !mailPattern.test(value)) return 'emailAddress';
  if (isTooLong) return 'maxLength';
  if (kind === 'url' && !urlPattern.test(value)) return 'valid';

  return isPlain && /[<>=]/.test(value) ? 'pattern' : undefined;
}

export interface FieldCheck {
  readonly rules: FieldRules;
  /** Fields an administrator requires, of a new lead and of every change. */
  readonly required: readonly string[];
  /** Fields of which the role lets nobody write any; what is sent for them is left out. */
  readonly readOnly: readonly string[];
  /** Numbers must be E.164; the administrator's choice, on from 8.1. */
  readonly isInternational: boolean;
}

/** Takes of what was sent what the entity has and the role may write; drops all else without a word. */
export function takeValues(check: FieldCheck, sent: EspocrmValues): EspocrmValues {
  const taken = Object.entries(check.rules)
    .filter(([name]) => Object.hasOwn(sent, name) && !check.readOnly.includes(name))
    .map(([name, rule]) => [name, cleanValue(rule, sent[name], check.isInternational)] as const);

  return Object.fromEntries(taken);
}

/**
 * Checks the values of a new lead, or those that a change sets.
 * @throws Refusal 400 that names the first field at fault
 */
export function checkValues(check: FieldCheck, values: EspocrmValues, isNew: boolean): void {
  for (const [name, rule] of Object.entries(check.rules)) {
    if (!isNew && !Object.hasOwn(values, name)) continue;
    const value = values[name] ?? null;
    if (check.required.includes(name) && value === null) refuseValue(name, 'required');
    const fault = findFault(rule, value, check.isInternational);
    if (fault !== undefined) refuseValue(name, fault);
  }
}

/** What a new lead has without being told. */
export function listInitialValues(rules: FieldRules): EspocrmValues {
  const initial = Object.entries(rules).flatMap(([name, rule]) =>
    rule.initial === undefined ? [] : [[name, rule.initial] as const],
  );

  return Object.fromEntries(initial);
}
