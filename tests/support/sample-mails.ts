import { writeAcknowledgmentMail } from '../../jobs/acknowledgment/send-acknowledgment.ts';
import type { QuarantineReason } from '../../shared/contact/spam-signals.ts';
import { writeAlertMail } from '../../shared/node/alerts/alert-channels.ts';
import { writeHeldMail } from '../../jobs/held-requests/send-held-mail.ts';
import { writeReportMail } from '../../jobs/report/send-report.ts';
import { writeFollowUpMail } from '../../jobs/follow-up/follow-up-mail.ts';
import { writeOutcomeMail } from '../../jobs/follow-up/outcome-mail.ts';
import type { SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import type { FollowUpMail } from '../../shared/node/deliveries/list-deliveries.ts';
import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import { writeConfirmationMail } from '../../jobs/newsletter/send-confirmation.ts';
import { alerts } from '../../shared/node/logging/alert-list.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { Hour, Second } from '../../shared/time.ts';

/** A request with markup, long words and links, which must not break a mail's layout. */
export const sampleSubmission: Submission = {
  id: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b',
  name: 'Zoë <b>O’Neil</b> of sweets.example',
  email: 'zoe.o-neil+assessment@a-rather-long-company-name.example.org',
  company: 'Neil & Daughters Confectionery',
  phone: '+1 (555) 010-0199',
  industry: 'retail-ecommerce',
  message:
    'Hello,\n\nwe spend our Mondays retyping invoices of 3.5 suppliers, e.g. into https://erp.example.com/login?a=b&c=d, and would like that to stop. Ask for Tom, tom@example.org.\n\n<script>alert(1)</script>\nThisIsOneVeryLongWordWithoutAnySpaceInItSoThatItHasToBreakSomewhereOrElseTheMailWouldGrowWiderThanTheScreen',
  submittedAt: new Date('2026-11-03T09:00:00Z'),
  receivedAt: new Date('2026-11-03T09:00:02Z'),
  source: {
    utm_source: 'newsletter',
    utm_campaign: 'autumn-2026',
    referrer: 'www.example.net',
    landing_path: '/solutions/process-automation',
  },
  visitedPaths: ['/solutions/process-automation', '/about', '/contact'],
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

const token = `${sampleSubmission.id}.t2c4zk.${'0123456789abcdef'.repeat(4)}`;
const context = {
  siteName: 'Praline',
  bookingUrl: 'https://calendar.example.com/assessment',
  publicUrl: 'https://www.example.com',
  timeZone: 'Europe/Vienna',
  promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
  requestUrl: `https://www.example.com/follow-up/${token}`,
  mails: [],
  events: [],
  now: sampleSubmission.receivedAt,
  isOnlyForTurn: false,
  refusedBy: undefined,
  isOnlyForAssignee: false,
  wasRefused: false,
  isUnreachable: false,
  earlier: undefined,
  cause: undefined,
};

const firstMail: FollowUpMail = {
  ...{ id: sampleSubmission.id, stage: 'new', eventId: null, recipient: null },
  ...{ sentAt: new Date(sampleSubmission.receivedAt.getTime() + 1 * Second), isUnderWay: false },
};

const handOver: SubmissionEvent = {
  ...{ id: sampleSubmission.id, submissionId: sampleSubmission.id, what: 'assign', until: null },
  ...{ by: 'anna@sales.example', details: { to: 'ben@sales.example', from: null } },
  at: new Date(sampleSubmission.receivedAt.getTime() + 2 * Hour),
  ...{ undoneAt: null, undoneBy: null, canBeUndone: false },
};

/** The first mail about a typical request. */
export function writePlainMail(): MailContent {
  const visitor = { name: 'Ada Example', email: 'ada@example.org', company: 'Example Sweets', phone: '+1 555 0100' };
  const message = 'We spend Mondays retyping the invoices of three suppliers.\nCan that end?';

  return writeFollowUpMail('new', { ...sampleSubmission, ...visitor, message, source: null, visitedPaths: null }, context);
}

function writeSampleHeldMail(): MailContent {
  const make = (company: string, quarantineReasons: readonly QuarantineReason[], message: string | null) => ({
    ...sampleSubmission,
    company,
    message,
    quarantinedAt: sampleSubmission.receivedAt,
    quarantineReasons,
  });

  return writeHeldMail(
    {
      requests: [
        make('Neil & Daughters Confectionery', ['too-fast'], sampleSubmission.message),
        make('evil.example/login', ['honeypot', 'links'], 'https://a.example https://b.example www.c.example'),
        make('A company with a name that goes on and on until it needs another line', ['too-fast'], null),
        // With more than 20 requests, each gets one line.
        ...Array.from({ length: 17 }, (_, index) => make(`Sweets ${index + 1}`, ['network-rate'], null)),
        make('evil.example/login', ['honeypot', 'too-fast', 'links', 'network-rate'], null),
        make('AnotherCompanyWhoseNameIsOneWordThatGoesOnAndOn', ['honeypot'], null),
      ],
      moreCount: 5,
      wasRefused: false,
    },
    { ...context, getDecisionUrl: () => `https://www.example.com/follow-up/held/${token}` },
  );
}

function writeSampleReport(): MailContent {
  const counts = { requests: 12, decided: 11, metWithin: 9, answered: 10, unfit: 1, open: 2, overdue: 1, held: 1 };
  const groups = (values: ReadonlyArray<string | null>) =>
    values.map((value, index) => ({ value, requests: [6, 3, 2, 1][index] ?? 0, requestsBefore: 10 - index }));

  return writeReportMail(
    {
      period: { from: '2026-10-26', to: '2026-11-01', timeZone: 'Europe/Vienna' },
      metrics: { ...counts, medianMs: 3.4 * Hour, percentile90Ms: 26 * Hour },
      metricsBefore: { ...counts, requests: 38, decided: 38, metWithin: 33, answered: 37, medianMs: 4 * Hour, percentile90Ms: 20 * Hour },
      sources: groups(['newsletter', 'www.example.net', 'A-campaign-whose-name-is-one-word-that-goes-on-and-on', null, '<b>evil.example']).map((group) => ({ ...group, unfit: 1, medianMs: 3.4 * Hour })),
      industries: groups(['retail-ecommerce', 'manufacturing', 'transportation-logistics', null]),
      answers: groups(['anna@sales.example', 'somebody-with-a-long-name@one-of-our-own-domains.example', null]),
    },
    context.siteName,
  );
}

/** A mail with a long address in its heading. */
const writeSampleRefusal = (): MailContent =>
  writeFollowUpMail('new', sampleSubmission, {
    ...context,
    events: [handOver],
    cause: { ...handOver, details: { to: 'benedikta.von-und-zu-hohenlohe@department.sales.example', from: null } },
    refusedBy: 'benedikta.von-und-zu-hohenlohe@department.sales.example',
  });

/** Makes a mail for each layout, by name. */
export function makeSampleMails(): Readonly<Record<string, MailContent>> {
  const later = new Date(sampleSubmission.receivedAt.getTime() + 5 * Hour);
  const answerBy = context.promise.answer.after(sampleSubmission.receivedAt);

  return {
    new: writeFollowUpMail('new', sampleSubmission, context),
    due: writeFollowUpMail('due', sampleSubmission, { ...context, now: answerBy, mails: [firstMail] }),
    acknowledgment: writeAcknowledgmentMail({
      ...context,
      answerBy,
      replyTo: 'Sales <sales@example.com>',
    }),
    askedAgain: writeFollowUpMail('new', sampleSubmission, {
      ...context,
      earlier: {
        submission: { ...sampleSubmission, contactedAt: later },
        events: [{ ...handOver, what: 'contacted', by: 'anna@sales.example', details: {} }],
        url: context.requestUrl,
      },
    }),
    outcome: writeOutcomeMail(sampleSubmission, { ...handOver, what: 'unfit', details: { reason: 'see evil.example' } }, context),
    handOverRefused: writeSampleRefusal(),
    held: writeSampleHeldMail(),
    report: writeSampleReport(),
    alert: writeAlertMail(
      {
        ...alerts['delivery-dead'],
        name: 'delivery-dead',
        message: 'A delivery is dead.',
        details: {
          deliveryId: sampleSubmission.id,
          kind: 'crm-export',
          attempts: 12,
          reason: 'http-UNABLE_TO_VERIFY_LEAF_SIGNATURE',
          process: 'worker',
        },
        firstRaisedAt: sampleSubmission.receivedAt,
        lastRaisedAt: later,
        count: 3,
      },
      context,
    ),
    newsletter: writeConfirmationMail({
      ...context,
      confirmUrl: `https://www.example.com/newsletter/confirm/${token}`,
      unsubscribeUrl: `https://www.example.com/newsletter/unsubscribe/${token}`,
    }),
  };
}
