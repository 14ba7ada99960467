import * as v from 'valibot';
import type { FieldErrors, ParseResult } from '../problem.ts';
import { isOnCalendarDay } from '../time.ts';
import { parseContactFields, type ContactFields } from './contact-schema.ts';
import { pickSource, pickVisitedPaths } from './submission-source.ts';

/** Some bots send a field twice, which arrives as a list. */
const repeatedField = v.pipe(
  v.array(v.string()),
  v.transform((values) => values.join('')),
);

const optionalOrInvalid = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.fallback(v.optional(schema), undefined);

/** Optional spam signals from the form. Invalid parts are ignored. */
const formSignalsSchema = v.fallback(
  v.object({
    /** The hidden field's value. */
    honeypot: optionalOrInvalid(v.union([v.string(), repeatedField])),
    /** Milliseconds between showing the form and sending it, by the client's clock. */
    filled_in_ms: optionalOrInvalid(v.pipe(v.number(), v.minValue(0))),
  }),
  {},
);

export type FormSignals = v.InferOutput<typeof formSignalsSchema>;

const NO_TIME = 'submitted_at must be a time like 2025-01-31T09:30:00Z.';

/** Years that the database and programs that read exports support, checked after conversion to UTC. */
const YEARS = { first: 1970, last: 9999 } as const;

const timestamp = v.pipe(
  v.string(NO_TIME),
  v.regex(/^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i, NO_TIME),
  v.check(isOnCalendarDay, NO_TIME),
  v.transform((text) => new Date(text)),
  // An invalid date has the year NaN.
  v.check((date) => date.getUTCFullYear() >= YEARS.first && date.getUTCFullYear() <= YEARS.last, NO_TIME),
);

/** The request body of `POST /api/contact-submissions` apart from the fields. Other keys are dropped. */
const envelopeSchema = v.object(
  {
    id: v.optional(
      v.nullable(v.pipe(v.string('id must be a UUID.'), v.uuid('id must be a UUID.'), v.toLowerCase())),
      null,
    ),
    submitted_at: v.optional(v.nullable(timestamp), null),
    source: v.pipe(v.optional(v.unknown(), null), v.transform(pickSource)),
    spam: v.optional(formSignalsSchema, {}),
  },
  'The body must be a JSON object.',
);

export type ContactRequest = ContactFields &
  v.InferOutput<typeof envelopeSchema> & {
    /** Visited pages in order, sent with the source but stored separately. */
    readonly visitedPaths: readonly string[] | null;
  };

function describeIssues(issues: readonly v.BaseIssue<unknown>[]): FieldErrors {
  const errors: Record<string, string> = {};
  for (const issue of issues) errors[v.getDotPath(issue) ?? 'body'] ??= issue.message;

  return errors;
}

/** Parses a whole request from JSON or a form, and returns all errors together. */
export function parseContactRequest(body: unknown): ParseResult<ContactRequest> {
  const envelope = v.safeParse(envelopeSchema, body);
  if (!envelope.success && (typeof body !== 'object' || body === null)) {
    return { ok: false, errors: describeIssues(envelope.issues) };
  }
  const fields = parseContactFields(body);
  if (envelope.success && fields.ok) {
    const { source } = Object(body) as { source?: unknown };
    const visitedPaths = pickVisitedPaths(source);

    return { ok: true, value: { ...fields.value, ...envelope.output, visitedPaths } };
  }

  return {
    ok: false,
    errors: {
      ...(fields.ok ? {} : fields.errors),
      ...(envelope.success ? {} : describeIssues(envelope.issues)),
    },
  };
}
