import { writeAlertMail } from '../../shared/node/alerts/alert-notice.ts';
import { writeDigestMail } from '../../jobs/digest/digest-mail.ts';
import { writeHeldMail } from '../../jobs/held-requests/held-mail.ts';
import { writeFollowUpMail } from '../../jobs/follow-up/follow-up-mail.ts';
import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import { writeConfirmationMail } from '../../jobs/newsletter/confirmation-mail.ts';
import { followUpStages } from '../../shared/deliveries/delivery.ts';
import { alerts } from '../../shared/node/alerts/alert-list.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { Hour } from '../../shared/time.ts';

/** A request as a hurried, and a little hostile, visitor makes it. */
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
  contactedAt: null,
  anonymizedAt: null,
  quarantinedAt: null,
  quarantineReason: null,
  spamAt: null,
  heldMailId: null,
  releasedAt: null,
};

const token = `${sampleSubmission.id}.t2c4zk.${'0123456789abcdef'.repeat(4)}`;
const context = {
  siteName: 'Praline',
  publicUrl: 'https://www.example.com',
  timeZone: 'Europe/Vienna',
  dueAfter: 24 * Hour,
  contactedUrl: `https://www.example.com/follow-up/${token}`,
};

function writeSampleDigest(): MailContent {
  const make = (company: string, hours: number, isOverdue: boolean) => ({
    ...sampleSubmission,
    company,
    receivedAt: new Date(sampleSubmission.receivedAt.getTime() + hours * Hour),
    isOverdue,
  });
  const mail = writeDigestMail(
    {
      first: [
        make('Neil & Daughters Confectionery', 0, true),
        make('evil.example/login', 20, false),
        make('A company with a name that goes on and on until it needs another line', 22, false),
      ],
      openCount: 3,
      overdueCount: 1,
      heldCount: 2,
      deadCount: 1,
    },
    { ...context, getContactedUrl: () => context.contactedUrl },
  );
  if (!mail) throw new Error('There is no digest.');

  return mail;
}

function writeSampleHeldMail(): MailContent {
  const make = (company: string, quarantineReason: string, message: string | null) => ({
    ...sampleSubmission,
    company,
    message,
    quarantinedAt: sampleSubmission.receivedAt,
    quarantineReason,
  });

  return writeHeldMail(
    {
      requests: [
        make('Neil & Daughters Confectionery', 'too-fast', sampleSubmission.message),
        make('evil.example/login', 'honeypot,links', 'https://a.example https://b.example www.c.example'),
        make('A company with a name that goes on and on until it needs another line', 'too-fast', null),
        // Beyond 20 a line each.
        ...Array.from({ length: 17 }, (_, index) => make(`Sweets ${index + 1}`, 'network-rate', null)),
        make('evil.example/login', 'honeypot,too-fast,links,network-rate', null),
        make('AnotherCompanyWhoseNameIsOneWordThatGoesOnAndOn', 'honeypot', null),
      ],
      moreCount: 5,
    },
    { ...context, getDecisionUrl: () => `https://www.example.com/follow-up/held/${token}` },
  );
}

/** Every mail there is, by name. */
export function makeSampleMails(): Readonly<Record<string, MailContent>> {
  const releasedAt = new Date(sampleSubmission.receivedAt.getTime() + 5 * Hour);

  return {
    ...Object.fromEntries(
      followUpStages.map((stage) => [stage, writeFollowUpMail(stage, sampleSubmission, context)]),
    ),
    released: writeFollowUpMail('new', { ...sampleSubmission, releasedAt }, context),
    digest: writeSampleDigest(),
    held: writeSampleHeldMail(),
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
        lastRaisedAt: releasedAt,
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
