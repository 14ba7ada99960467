import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followUpStages, type FollowUpStage } from '../../shared/deliveries/delivery.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import { Hour, Second } from '../../shared/time.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { writeFollowUpMail } from './follow-up-mail.ts';

const submission: Submission = {
  id: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b',
  name: 'Ada <Example>',
  email: 'ada@example.org',
  company: 'Sweets & Sons',
  phone: null,
  industry: 'retail-ecommerce',
  message: '<script>alert(1)</script>\nSecond line',
  submittedAt: new Date('2025-11-03T09:00:00Z'),
  receivedAt: new Date('2025-11-03T09:00:02Z'),
  source: { utm_source: 'newsletter', referrer: 'www.example.net', landing_path: '/about' },
  visitedPaths: ['/about', '/contact'],
  contactedAt: null,
  anonymisedAt: null,
  quarantinedAt: null,
  quarantineReason: null,
  quarantineReasons: [],
  snoozedPastPromise: false,
  bodyHash: null,
  spamAt: null,
  heldMailId: null,
  releasedAt: null,
  emailRefusedAt: null,
  assignedTo: null,
  snoozedUntil: null,
  unfitAt: null,
  unfitReason: null,
};

const context = {
  ...{ siteName: 'Praline', bookingUrl: undefined },
  timeZone: 'Europe/Vienna',
  promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
  requestUrl: 'https://example.com/follow-up/token',
  mails: [],
  events: [],
  now: submission.receivedAt,
  isOnlyForTurn: false,
  refusedBy: undefined,
  isOnlyForAssignee: false,
  wasRefused: false,
  isUnreachable: false,
  earlier: undefined,
  cause: undefined,
};

const promised = context.promise.answer.after(submission.receivedAt);

const write = (changes: Partial<Submission> = {}, stage: FollowUpStage = 'new') =>
  renderMail(
    writeFollowUpMail(stage, { ...submission, ...changes }, { ...context, ...((stage === 'due' || stage === 'overdue') && { now: promised }) }),
  );

describe.each(followUpStages)('the mail at stage %s', (stage) => {
  test('has the visitor’s details, the time of receipt and the deadline in text and HTML, in the configured time zone', () => {
    const { text, html } = write({ phone: '+1 555 0100' }, stage);

    for (const part of [
      'Ada <Example>',
      'ada@example.org',
      'Sweets & Sons',
      '+1 555 0100',
      'Retail & E-commerce',
      'Monday, November 3, 2025 at 10:00 AM GMT+1 (Europe/Vienna)',
      'Tuesday, November 4, 2025 at 10:00 AM GMT+1 (Europe/Vienna)',
      'Second line',
      'Mark as contacted',
      'https://example.com/follow-up/token',
    ]) {
      expect(text).toContain(part);
      const escaped = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      expect(html).toContain(escaped);
    }
    expect(text).toMatch(/^Campaign source: +newsletter$/m);
    expect(text).toMatch(/^Referring site: +www\[\.\]example\[\.\]net$/m);
    expect(text).toMatch(/^First page of the visit: +\/about$/m);
    expect(text).toContain('> <script>alert(1)</script>\n> Second line');
    expect(text).toContain('\nMark as contacted: https://example.com/follow-up/token\n');
  });
});

test('a later mail lists the earlier mails that were sent', () => {
  const at = (hour: number) => new Date(Date.UTC(2025, 10, 3, hour));
  const mail = writeFollowUpMail('due', submission, {
    ...context,
    mails: [
      { id: 'a', stage: 'new', eventId: null, recipient: null, sentAt: at(9), isUnderWay: false },
      { id: 'b', stage: 'new', eventId: null, recipient: 'late@sales.example', sentAt: at(10), isUnderWay: false },
      { id: 'c', stage: 'reminder', eventId: null, recipient: null, sentAt: null, isUnderWay: true },
    ],
  });
  const { text } = renderMail(mail);

  expect(text).toMatch(/^First mail sent: +Monday, November 3, 2025 at 10:00 AM GMT\+1/m);
  expect(text.match(/ sent: /g)).toHaveLength(1);
});

const snooze: SubmissionEvent = {
  ...{ id: 'd', submissionId: submission.id, by: 'anna@sales.example', what: 'snooze' },
  at: new Date('2025-11-03T11:00:00Z'),
  until: new Date('2025-11-04T08:00:00Z'),
  ...{ details: {}, undoneAt: null, undoneBy: null, canBeUndone: false },
};

test('a later mail shows the assignee and the history without undone events', () => {
  const undone = { ...snooze, what: 'unfit', details: { reason: 'evil.example' }, undoneAt: snooze.at } as const;
  const mail = writeFollowUpMail(
    'reminder',
    { ...submission, assignedTo: 'ben@sales.example' },
    { ...context, events: [snooze, undone], cause: snooze },
  );
  const { text, html } = renderMail(mail);

  expect(text).toMatch(/^Assigned to: +ben@sales\.example$/m);
  expect(text.replace(/\s+/g, ' ')).toContain('Snoozed: until Tue, Nov 4, 2025, 9:00 AM GMT+1 (Europe/Vienna) by anna@sales.example;');
  expect(mail.lead).toBe('anna@sales.example asked for this reminder. Nobody has settled the request since.');
  expect(html).toContain('ben@sales.example');
  for (const form of [text, html]) expect(form).not.toMatch(/evil|not a fit on|undone/);
});

test('the first mail and the reminder say whose turn it is', () => {
  const to = 'ben@sales.example';
  const inTurn = { ...submission, assignedTo: to };
  const turn = { ...snooze, by: null, what: 'rotate', until: null, details: { to } } as const;

  const first = writeFollowUpMail('new', inTurn, { ...context, isOnlyForTurn: true });
  const reminder = writeFollowUpMail('reminder', inTurn, { ...context, events: [turn] });
  const due = writeFollowUpMail('due', inTurn, { ...context, now: promised, events: [turn] });

  expect(first.lead).toContain('It is your turn. The rest of sales won’t hear about it until the reminder');
  expect(reminder.lead).toContain(`given to ${to} in turn`);
  expect(due.lead).toContain('the deadline we promised has passed');
  for (const mail of [first, reminder, due]) expect(renderMail(mail).text).toMatch(/^Assigned to: +ben@sales\.example$/m);
  expect(renderMail(due).text.replace(/\s+/g, ' ')).toContain(`Assigned by rotation: to ${to};`);
});

test('the mail has a reply button with the visitor’s name, unless the address can’t receive mail', () => {
  const { text, html } = write();

  expect(text).toMatch(/^Reply to Ada: mailto:ada@example\.org\?subject=Your%20request%20to%20Praline&body=Hi%20Ada%2C%0D%0A%0D%0A/m);
  expect(html).toMatch(/<a class="button" href="mailto:ada@example\.org\?subject=[^"]+" [^>]*>Reply to Ada<\/a>/);
  const unreachable = writeFollowUpMail('new', submission, { ...context, isUnreachable: true });
  for (const mail of [write({ emailRefusedAt: submission.receivedAt }), renderMail(unreachable)]) expect(mail.text).not.toContain('Reply to');
});

test('only the mail at the promised time calls the request overdue', () => {
  expect(write({}, 'due').text).toMatch(/^Overdue since: +Tuesday, November 4, 2025/m);
  for (const stage of ['new', 'reminder'] as const) expect(write({}, stage).text).not.toMatch(/overdue/i);
});

test('the mail about a released request says how long it was held, and the deadline counts from the release', () => {
  const { text } = write({ releasedAt: new Date('2025-11-05T12:00:00Z') });

  expect(text).toMatch(/^Received: +Monday, November 3, 2025 at 10:00 AM/m);
  expect(text).toMatch(/^Held as possible spam until: +Wednesday, November 5, 2025 at 1:00 PM/m);
  expect(text).toMatch(/^Answer by: +Thursday, November 6, 2025 at 1:00 PM/m);
});

const [before, after] = [new Date(promised.getTime() - 1 * Hour), new Date(promised.getTime() + 1 * Hour)];

test.each<[string, 'new' | 'reminder', Pick<SubmissionEvent, 'what' | 'at' | 'until'>, Date, boolean]>([
  ['a reminder requested for a time before the promised one', 'reminder', { what: 'snooze', at: submission.receivedAt, until: before }, before, false],
  ['a reminder requested for a time after the promised one', 'reminder', { what: 'snooze', at: submission.receivedAt, until: after }, after, true],
  ['a request handed over in time', 'new', { what: 'assign', at: before, until: null }, before, false],
  ['a request that was handed over in time, but whose mail is late', 'new', { what: 'assign', at: before, until: null }, after, true],
])('the mail about %s says whether the promised time has passed', (_what, stage, event, now, isOverdue) => {
  const cause: SubmissionEvent = {
    ...{ id: submission.id, submissionId: submission.id, by: null, details: {}, undoneAt: null, undoneBy: null },
    ...{ canBeUndone: false, ...event },
  };
  const mail = writeFollowUpMail(stage, submission, { ...context, now, events: [cause], cause });

  expect(mail.highlight).toMatchObject({
    label: isOverdue ? 'Overdue since' : 'Answer by',
    isUrgent: isOverdue,
  });
  expect(mail.lead.includes('the promised time has passed')).toBe(isOverdue);
});

test('a due notice sent early does not say that the deadline has passed', () => {
  const onTime = writeFollowUpMail('due', submission, { ...context, now: new Date(promised.getTime() - 30 * Second) });
  const early = writeFollowUpMail('due', submission, { ...context, now: before });

  expect(onTime.highlight).toMatchObject({ label: 'Overdue since', isUrgent: true });
  expect(onTime.lead).toContain('the deadline we promised has passed');
  expect(early.highlight).toMatchObject({ label: 'Answer by', isUrgent: false });
  expect(early.lead).toBe('This request is still unanswered, and its answer is due soon.');
});

test.each(followUpStages)('after a refusal, the mail at stage %s has the times and the link, but nothing the visitor typed', (stage) => {
  const source = { utm_source: 'typed too' };
  const typed = { ...submission, name: 'Refused', company: 'Refused', phone: '+1 555 0100', message: 'Refused', source };
  const { subject, text, html } = renderMail(writeFollowUpMail(stage, typed, { ...context, wasRefused: true }));

  for (const part of [subject, text, html]) expect(part).not.toMatch(/^Refused|[> ]Refused|ada@|555|typed too/);
  expect(subject).toMatch(/: see its page$/);
  expect(text).toMatch(/Read\s+it\s+on\s+the\s+page\s+of\s+the\s+request/);
  expect(text).toContain('Look at the request: https://example.com/follow-up/token');
  expect(text).toContain('November 4, 2025');
});

test('if a colleague’s mailbox refuses the mail, the others are asked to take the request over', () => {
  const cause: SubmissionEvent = {
    ...{ id: submission.id, submissionId: submission.id, by: 'cora@sales.example', undoneAt: null, undoneBy: null },
    ...{ what: 'assign', details: { to: 'anna@sales.example' }, at: before, until: null, canBeUndone: false },
  };
  const refusedBy = 'anna@sales.example';
  const refusal = ' The mailbox of anna@sales.example refuses mail: please take the request over.';
  const inTurn = writeFollowUpMail('new', submission, { ...context, refusedBy });
  const handedOver = writeFollowUpMail('new', submission, { ...context, events: [cause], cause, refusedBy });

  expect(inTurn.lead).toBe(`A visitor asked for a free assessment.${refusal}`);
  expect(handedOver).toMatchObject({
    heading: 'Handed to anna@sales.example',
    lead: `cora@sales.example handed this request to anna@sales.example.${refusal}`,
  });
});

test.each([
  [24 * Hour, '24 h follow-up due'],
  [8 * Hour, 'Follow-up due'],
])('if an answer is promised within %i ms, the due notice is called %s', (dueAfter, name) => {
  const promise = createResponsePromise({ reminderAfter: 1 * Hour, dueAfter });

  expect(writeFollowUpMail('due', submission, { ...context, promise }).subject).toBe(`[Praline] ${name}: ${submission.company}`);
});

test('the subject is one line with at most eighty characters of the company’s name', () => {
  const company = `A\u202e${'b'.repeat(100)}\r\nBcc: x@example.org`;

  expect(write({ company }, 'overdue').subject).toBe(`[Praline] Still open: A ${'b'.repeat(78)}`);
  expect(write({ company }, 'due').subject).toBe(`[Praline] 24 h follow-up due: A ${'b'.repeat(78)}`);
});

test('visitors’ words can’t add elements or links', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.constantFrom('<b>', '"><a href="https://evil.example">', '&lt;', "' onclick='", '</td></table>', 'evil.example'),
  );
  /** Returns all tags except line breaks, which a message may contain. */
  const listTags = (html: string) =>
    (html.match(/<[^>]*>/g) ?? [])
      .filter((tag) => tag !== '<br>')
      // The draft answer contains the visitor’s name.
      .map((tag) => tag.replace(/href="mailto:ada@example\.org\?subject=[^"]*"/, 'draft'));
  const source = { utm_source: 'x', referrer: 'x', landing_path: 'x' };
  const usual = listTags(write({ name: 'x', company: 'x', message: 'x', source }).html);

  fc.assert(
    fc.property(anyText, anyText, anyText, anyText, (name, company, message, visit) => {
      const changed = { utm_source: visit, referrer: visit, landing_path: visit };
      const { html, subject } = write({ name, company, message, source: changed });

      expect(listTags(html)).toEqual(usual);
      expect(subject).not.toMatch(/[\r\n\0]/);
    }),
  );
});
