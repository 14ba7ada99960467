import { channel } from 'node:diagnostics_channel';
import { cutText } from '../../cut-text.ts';
import { describeError } from './describe-error.ts';
import { isAlertName, type AlertName } from './alert-list.ts';

/** The log line's fields: ids, counts and reasons, but no personal data. */
export type AlertDetails = Readonly<Record<string, string | number | boolean>>;

export interface RaisedAlert {
  readonly name: AlertName;
  readonly message: string;
  readonly details: AlertDetails;
}

const raised = channel('site:alert');

/** Fields that could contain personal data or secrets. No code logs them on purpose. */
export const REDACTED = ['name', 'email', 'company', 'phone', 'message', 'password', 'token'];

const NO_DETAILS: ReadonlySet<string> = new Set(['alert', 'err', ...REDACTED]);

const MAX_DETAIL_LENGTH = 300;

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string';

const truncate = (value: string | number | boolean) =>
  typeof value === 'string' ? cutText(value, MAX_DETAIL_LENGTH) : value;

function readDetails(fields: object, process: string): AlertDetails {
  const given = Object.entries(fields).filter(([name]) => !NO_DETAILS.has(name));
  const error: unknown = Reflect.get(fields, 'err');
  const { type, message = type, code = message } = describeError(error);
  const all: ReadonlyArray<readonly [string, unknown]> = [
    ...given,
    ...(error === undefined ? [] : [['error', code] as const]),
    ['process', process],
  ];

  return Object.fromEntries(
    all.flatMap(([name, value]) => (isPlain(value) ? [[name, truncate(value)]] : [])),
  );
}

/** Publishes a log line's alert, if it has one. Never throws. */
export function publishAlert(fields: unknown, message: unknown, process: string): void {
  if (typeof fields !== 'object' || fields === null || !raised.hasSubscribers) return;
  const name: unknown = Reflect.get(fields, 'alert');
  if (!isAlertName(name)) return;

  raised.publish({
    name,
    message: typeof message === 'string' ? message : '',
    details: readDetails(fields, process),
  } satisfies RaisedAlert);
}

/** Calls `listen`, which must not throw, with every alert. Returns a function that unsubscribes. */
export function subscribeToAlerts(listen: (alert: RaisedAlert) => void): () => void {
  const onAlert = (alert: unknown) => listen(alert as RaisedAlert);
  raised.subscribe(onAlert);

  return () => {
    raised.unsubscribe(onAlert);
  };
}
