import * as v from 'valibot';
import { Day, Hour, Minute, Second } from '../../time.ts';
import { isLoopbackHost, parseAddress, parseRange, withoutBrackets } from '../network/ip-address.ts';

const UNITS: Readonly<Record<string, number>> = { s: Second, m: Minute, h: Hour, d: Day };

function parseDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);

  return match ? Number(match[1]) * (UNITS[match[2] ?? ''] ?? Number.NaN) : Number.NaN;
}

/** A duration such as `90s` or `20h`, converted to milliseconds. */
export const duration = v.pipe(
  v.string(),
  v.transform(parseDuration),
  v.check((ms) => ms > 0, 'must be a duration like 90s, 30m, 20h or 2d'),
);

/** Longest delay for a Node timer, in whole days. */
const MAX_RATE_WINDOW = 24 * Day;

/** A rate such as `10/10m` (ten in ten minutes) or `1/s`. */
export const rate = v.pipe(
  v.string(),
  v.transform((text) => {
    const [count = '', window = ''] = text.split('/');

    return {
      count: /^\d{1,6}$/.test(count) ? Number(count) : 0,
      windowMs: parseDuration(/^\d/.test(window) ? window : `1${window}`),
    };
  }),
  v.check(({ count, windowMs }) => count > 0 && windowMs > 0, 'must be a rate like 10/10m or 1/s'),
  v.check(({ windowMs }) => windowMs <= MAX_RATE_WINDOW, 'must be a rate with a period of at most 24d'),
);

const wholeNumber = (form: RegExp, message: string) => v.pipe(v.string(), v.regex(form, message), v.transform(Number));

export const port = v.pipe(
  wholeNumber(/^\d{1,5}$/, 'must be a port number'),
  v.maxValue(65_535, 'must be a port number up to 65535'),
);

export const months = wholeNumber(/^[1-9]\d{0,2}$/, 'must be a number of months from 1 to 999');

export const count = wholeNumber(/^[1-9]\d{0,3}$/, 'must be a number from 1 to 9999');

export const text = v.string();

/** An IP address, because Compose publishes ports only on addresses. */
export const address = v.pipe(
  v.string(),
  v.check((value) => parseAddress(withoutBrackets(value)) !== undefined, 'must be an IP address'),
);

export const host = v.pipe(
  v.string(),
  v.check(
    (value) => parseAddress(value) !== undefined || HOST_NAME.test(value),
    'must be an IP address or a host name',
  ),
);

export const oneOf = <const Name extends string>(...names: readonly Name[]) =>
  v.picklist(names, `must be one of ${names.join(', ')}`);

const toggle = (on: string, off: string) =>
  v.pipe(v.picklist([on, off], `must be ${on} or ${off}`), v.transform((value) => value === on));

export const flag = toggle('true', 'false');

export const onOff = toggle('on', 'off');

/** A URL with one of the given protocols. Messages never repeat the value, which may be secret. */
function url(...protocols: string[]) {
  return v.pipe(
    v.string(),
    v.check(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol.slice(0, -1)),
      `must be a URL that begins with ${protocols.map((name) => `${name}://`).join(' or ')}`,
    ),
  );
}

/** Returns a rule for values that `url` accepts. For all others, only the message from `url` is reported. */
const checkUrl = (isRight: (value: URL) => boolean, message: string) =>
  v.check((value: string) => !URL.canParse(value) || isRight(new URL(value)), message);

const hasNoLogin = ({ username, password }: URL): boolean => username === '' && password === '';

const withoutLogin = checkUrl(hasNoLogin, 'must have no user name or password');

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);

    return true;
  } catch {
    return false;
  }
}

/** A server's address, with or without a login. Refuses a stray %, which `pg` accepts and PostgreSQL's tools don't. */
export const serverUrl = (...protocols: string[]) =>
  v.pipe(url(...protocols), v.check(isDecodable, 'must have % written as %25, except in codes like %2F'));

/** An address that the site calls. A login in it could appear in other servers' logs. */
export const calledUrl = v.pipe(url('https', 'http'), withoutLogin);

/** A page that visitors open. */
export const pageUrl = v.pipe(url('https'), withoutLogin);

/** A mail server, with or without a login. Special characters in the login are percent-encoded. */
export const smtpUrl = v.pipe(
  url('smtp', 'smtps'),
  checkUrl(({ hostname }) => hostname !== '', 'must name a host: smtp://mail.example.com:587'),
  checkUrl(
    ({ username, password }) => isDecodable(username) && isDecodable(password),
    'must have % in its user name or password written as %25',
  ),
  checkUrl(
    ({ pathname, hash }) => ['', '/'].includes(pathname) && hash === '',
    'must have # and / in its user name or password written as %23 and %2F',
  ),
);

/** An origin such as `https://www.example.com`, without a path. */
export const origin = v.pipe(
  url('http', 'https'),
  v.transform((value) => new URL(value)),
  v.check(
    ({ pathname, search, hash, username }) =>
      pathname === '/' && search === '' && hash === '' && username === '',
    'must be an origin like https://www.example.com, without a path',
  ),
  v.transform((value) => value.origin),
);

/** An address such as `https://www.example.com` or `https://www.example.com/crm`. Removes a trailing slash. */
export const baseUrl = v.pipe(
  url('http', 'https'),
  v.transform((value) => new URL(value)),
  v.check(
    (value) => value.search === '' && value.hash === '' && hasNoLogin(value),
    'must be an address like https://www.example.com, optionally with a path',
  ),
  v.transform(({ origin: host, pathname }) => `${host}${pathname.replace(/\/+$/, '')}`),
);

/** In an unquoted name, a colon would start an address group, and a parenthesis would start a comment (RFC 5322). */
const MAILBOX = /^(?:(?:"[^"<>\p{Cc}]*" *|[^"<>:()\p{Cc}]*)<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,:()]+@[^\s<>@,:()]+)$/u;

/** A mailbox such as `site@example.com` or `The Site <site@example.com>`. */
export const mailbox = v.pipe(v.string(), v.regex(MAILBOX, 'must be an e-mail address'));

/** Splits a comma-separated list. */
export function splitList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export const mailboxList = v.pipe(
  v.string(),
  v.transform(splitList),
  v.minLength(1, 'must name at least one e-mail address'),
  v.everyItem((item) => MAILBOX.test(item), 'must be e-mail addresses separated by commas'),
  v.readonly(),
);

const isAddressOrRange = (item: string): boolean => parseRange(item) !== undefined;

/** A list such as `10.0.0.0/8, 127.0.0.1`. If a range covered all addresses, visitors could claim any address. */
export const addressList = v.pipe(
  v.string(),
  v.transform(splitList),
  v.everyItem(isAddressOrRange, 'must be IP addresses or CIDR ranges separated by commas'),
  v.everyItem((item) => !/\/0+$/.test(item), 'must not cover all addresses (a range ending in /0)'),
);

const MAX_PASSWORD = 200;

/** A password, including any leading and trailing spaces. */
export const password = v.pipe(
  v.string(),
  v.check((value) => value.trim() !== '', 'must not be blank'),
  v.maxLength(MAX_PASSWORD, `must have at most ${MAX_PASSWORD} characters`),
);

const MIN_SECRET_BYTES = 32;

/** A list of secrets. The first one signs, and any of them can verify. */
export const secretList = v.pipe(
  v.string(),
  v.transform(splitList),
  v.minLength(1, `must have at least ${MIN_SECRET_BYTES} bytes`),
  v.everyItem(
    (item) => Buffer.byteLength(item) >= MIN_SECRET_BYTES,
    `must have at least ${MIN_SECRET_BYTES} bytes in each secret`,
  ),
);

const MIN_WEBHOOK_KEY_BYTES = 24;
const MAX_WEBHOOK_KEY_BYTES = 64;

/** `whsec_` and 24 to 64 bytes in base64. Source: the Standard Webhooks specification 1.0. */
export const webhookSecret = v.pipe(
  v.string(),
  v.regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'must be whsec_ followed by a key in base64'),
  v.check((value) => {
    const { length } = Buffer.from(value.slice('whsec_'.length), 'base64');

    return length >= MIN_WEBHOOK_KEY_BYTES && length <= MAX_WEBHOOK_KEY_BYTES;
  }, `must have a key of ${MIN_WEBHOOK_KEY_BYTES} to ${MAX_WEBHOOK_KEY_BYTES} bytes`),
);

/** A Salesforce field name, such as `WebLeadId__c`. It becomes part of a URL path. */
export const fieldName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z]\w{0,79}$/, 'must be a field name like WebLeadId__c'),
);

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

function isDestination(item: string): boolean {
  if (isAddressOrRange(item)) return true;
  const [, host = '', portText = ''] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(item) ?? [];
  const isHost = host.startsWith('[')
    ? parseAddress(withoutBrackets(host)) !== undefined
    : HOST_NAME.test(host);

  return isHost && (portText === '' || (Number(portText) > 0 && Number(portText) <= 65_535));
}

/** A list such as `example.com, www.example.org`. Refuses loopback names, which always belong to the site. */
export const hostNameList = v.pipe(
  v.string(),
  v.transform((value) => splitList(value.toLowerCase())),
  v.everyItem(
    (item) => HOST_NAME.test(item) && !isLoopbackHost(item),
    'must be host names like example.com, separated by commas',
  ),
);

/** A list such as `crm.example.internal, localhost:8069, 10.0.0.0/8`. */
export const destinationList = v.pipe(
  v.string(),
  v.transform(splitList),
  v.everyItem(
    isDestination,
    'must be hosts, host:port or CIDR ranges separated by commas',
  ),
);

/** The key's id and secret precede the host and are not encoded, so the secret may contain a slash. */
const S3_REPOSITORY = /^(s3:(?:https?:\/\/)?)([^/\s:@]+):(\S+)@([^/\s@]+\/[^\s@]+)$/;

/** A repository in restic's notation. For an S3 server, it includes the access key. */
export const backupRepository = v.pipe(
  v.string(),
  v.check(
    (value) => S3_REPOSITORY.test(value) || /^(?:sftp:\S+|rest:https?:\/\/\S+|\/.+)$/.test(value),
    'must be s3:https://KEY:SECRET@HOST/BUCKET, sftp:USER@HOST:/FOLDER, rest:https://USER:PASSWORD@HOST/ or a folder (/FOLDER)',
  ),
  v.check(
    (value) => isDecodable(/^rest:https?:\/\/([^/@]+)@/.exec(value)?.[1] ?? ''),
    'must have % in its user name or password written as %25',
  ),
  v.transform((value) => {
    const [, scheme = '', id = '', secret = '', place = ''] = S3_REPOSITORY.exec(value) ?? [];

    return scheme ? { location: scheme + place, accessKey: { id, secret } } : { location: value, accessKey: undefined };
  }),
);
