import * as v from 'valibot';
import { isOnCalendarDay } from '../calendar-day.ts';
import {
  readContactFields,
  type ContactFields,
  type FieldErrors,
  type Reading,
} from './contact-schema.ts';
import { pickSource } from './pick-source.ts';
import { spamSignalsSchema } from './spam-signals.ts';

const NO_TIME = 'submitted_at must be a time like 2025-01-31T09:30:00Z.';

const timestamp = v.pipe(
  v.string(NO_TIME),
  // Four-digit years from 1970 on: what every part of the stack can hold.
  v.regex(/^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i, NO_TIME),
  v.check(isOnCalendarDay, NO_TIME),
  v.transform((text) => new Date(text)),
  v.check((date) => !Number.isNaN(date.getTime()), NO_TIME),
);

/** What the body of `POST /api/contact-submissions` has beside the fields; other keys are dropped. */
const envelopeSchema = v.object(
  {
    id: v.optional(
      v.nullable(v.pipe(v.string('id must be a UUID.'), v.uuid('id must be a UUID.'), v.toLowerCase())),
      null,
    ),
    submitted_at: v.optional(v.nullable(timestamp), null),
    source: v.pipe(v.optional(v.unknown(), null), v.transform(pickSource)),
    spam: v.optional(spamSignalsSchema, {}),
  },
  'The body must be a JSON object.',
);

export type ContactRequest = ContactFields & v.InferOutput<typeof envelopeSchema>;

function describeIssues(issues: readonly v.BaseIssue<unknown>[]): FieldErrors {
  const errors: Record<string, string> = {};
  for (const issue of issues) errors[v.getDotPath(issue) ?? 'body'] ??= issue.message;

  return errors;
}

/** Reads a whole request, from a script or from a form, with all its faults at once. */
export function readContactRequest(body: unknown): Reading<ContactRequest> {
  const envelope = v.safeParse(envelopeSchema, body);
  if (!envelope.success && (typeof body !== 'object' || body === null)) {
    return { ok: false, errors: describeIssues(envelope.issues) };
  }
  const fields = readContactFields(body);
  if (envelope.success && fields.ok) {
    return { ok: true, value: { ...fields.value, ...envelope.output } };
  }

  return {
    ok: false,
    errors: {
      ...(fields.ok ? {} : fields.errors),
      ...(envelope.success ? {} : describeIssues(envelope.issues)),
    },
  };
}
