/** An error thrown by this project. Its message may be logged: it contains neither personal data nor secrets. */
export class SiteError extends Error {}

interface ErrorDescription {
  readonly type: string;
  readonly message?: string;
  /** Only the stack frames, without the message above them. */
  readonly stack?: string;
  readonly cause?: ErrorDescription;
  readonly code?: string | number;
  /** Descriptions of the first members of an AggregateError. */
  readonly errors?: readonly ErrorDescription[];
  readonly [field: string]: unknown;
}

/** Fields that never contain personal data, unlike pg's `detail`, `where` and `hint` and a mail server's `response`. */
const LOGGED_FIELDS = [
  'code',
  'syscall',
  'address',
  'port',
  'hostname',
  'path',
  'responseCode',
  'command',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
] as const;

/** Fixed messages that libraries use for errors without a code. */
const KNOWN_MESSAGES = [
  'Client has encountered a connection error and is not queryable',
  'Connection is closed.',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Command timed out',
  'Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
  'Query read timeout',
  'Stream isn\'t writeable and enableOfflineQueue options is false',
  'timeout expired',
];

const MAX_FIELD_LENGTH = 200;
/** Maximum length of a chain of causes, including the error itself. */
const MAX_DEPTH = 6;
const MAX_MEMBERS = 5;
const MAX_FRAMES = 8;

/** A stack frame as V8 writes it: `    at run (file:///app/jobs/main.ts:5:3)`. */
const FRAME = /^ {4}at .*(?::\d+:\d+|<anonymous>|\(native\))\)?$/;

/** Returns the message if it may be logged. Knex puts the query's SQL before the message. */
function readMessage(error: Error): string | undefined {
  const { message } = error;
  if (error instanceof SiteError) return message;

  return KNOWN_MESSAGES.find((known) => message === known || message.endsWith(` - ${known}`));
}

function readFrames({ stack = '', message }: Error): string | undefined {
  // Skip the message, because its lines may look like frames.
  const start = message === '' ? 0 : stack.indexOf(message) + message.length;
  const frames = stack.slice(start).split('\n').filter((line) => FRAME.test(line));

  return frames.length === 0 ? undefined : frames.slice(0, MAX_FRAMES).join('\n');
}

function readFields(error: Error): Record<string, string | number> {
  const fields = LOGGED_FIELDS.flatMap((name): Array<[string, string | number]> => {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === 'string') return [[name, value.slice(0, MAX_FIELD_LENGTH)]];

    return typeof value === 'number' ? [[name, value]] : [];
  });

  return Object.fromEntries(fields);
}

function describe(error: unknown, depth: number): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error };
  const message = readMessage(error);
  const stack = readFrames(error);
  const hasMore = depth < MAX_DEPTH;
  const members = error instanceof AggregateError ? (error.errors as unknown[]) : [];

  return {
    type: error.name,
    ...(message !== undefined && { message }),
    ...readFields(error),
    ...(stack !== undefined && { stack }),
    ...(hasMore && error.cause !== undefined && { cause: describe(error.cause, depth + 1) }),
    ...(hasMore && members.length > 0 && {
      errors: members.slice(0, MAX_MEMBERS).map((member) => describe(member, depth + 1)),
      ...(members.length > MAX_MEMBERS && { errorsLeftOut: members.length - MAX_MEMBERS }),
    }),
  };
}

/** Describes an error and its causes for the log: class, safe fields, frames, and the messages of our own errors. */
export const describeError = (error: unknown): ErrorDescription => describe(error, 1);

/** Formats the description as text, for a process that exits before it has a logger. */
export function formatError(error: unknown): string {
  const format = ({ type, message, stack, cause, errors = [], ...fields }: ErrorDescription): string => {
    const facts = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
    const head = [type, ...(message === undefined ? [] : [message])].join(': ');
    const below = [...(cause ? [cause] : []), ...errors].map((each) => `caused by ${format(each)}`);

    return [facts.length > 0 ? `${head} (${facts.join(', ')})` : head, stack, ...below]
      .filter((part) => part !== undefined)
      .join('\n');
  };

  return format(describeError(error));
}

/** Returns the code of an error from Node, PostgreSQL or a mail server, such as `ECONNREFUSED`. */
export function getErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
