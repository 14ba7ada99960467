import { domainToASCII } from 'node:url';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { expect, onTestFinished, test } from 'vitest';
import { writeFollowUpMail } from '../../jobs/follow-up/follow-up-mail.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { findSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import { listFollowUpMails } from '../../shared/node/deliveries/list-deliveries.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { createCertificateAuthority } from '../support/certificates.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { spawnOps } from '../support/run-ops.ts';
import { waitFor } from '../support/wait-for.ts';
import { longTimeoutWorker, oneMail, setUpFault } from './fault-fixture.ts';
import { makeGreylist, startPolicyServer, type MailPolicy } from './mail-policy.ts';
import { startPostfix } from './postfix.ts';
import { listMailReceipts } from './reconcile.ts';

const plannedStages = ['new', 'reminder', 'due'] as const;

/** Characters of a line without its end that each server passes on (RFC 5321, 4.5.3.1.6). */
const MAX_LINE = 998;
/** Postfix' own limit by default is 10 MB; this is less than a mail with the longest message. */
const SMALL_LIMIT = 15_000;

const takeAll: MailPolicy = () => 'DUNNO';

interface MailServerOptions {
  readonly mailboxes?: readonly string[];
  readonly policy?: MailPolicy;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
}

/** A site whose mails go to a Postfix of its own, and that posts a request. */
async function setUpMailServer({ mailboxes = ['sales'], policy = takeAll, parameters = {}, settings = {} }: MailServerOptions) {
  const authority = await createCertificateAuthority();
  onTestFinished(() => authority.remove());
  // This machine under an address that isn't a loopback one, so that STARTTLS is demanded.
  const host = '0.0.0.0';
  const postfix = await startPostfix({
    mailboxes,
    certificate: await authority.issue(`IP:${host}`),
    policyPort: await startPolicyServer(policy),
    parameters,
  });
  const fixture = await setUpFault({
    ...oneMail,
    ...longTimeoutWorker,
    SMTP_URL: `smtp://${host}:${postfix.port}`,
    ...settings,
  });
  const trusting = { ...fixture.settings, NODE_EXTRA_CA_CERTS: authority.file };
  const web = await startWeb(fixture.settings);

  return {
    ...fixture,
    postfix,
    settings: trusting,
    distrusting: fixture.settings,
    submit: (body: ReturnType<typeof makeContactBody>) => fixture.submit(web.origin, body),
    readFirst: () => fixture.database('deliveries').where({ stage: 'new' }).first(),
    untilDelivered: (name: string, count: number) =>
      waitFor(`${count} mails of ${name}`, async () => {
        const mails = await postfix.listMails(name);

        return mails.length >= count && mails;
      }),
    expectDelivered: async (name: string, recoveredAt?: number) => {
      const receipts = listMailReceipts(await postfix.listMails(name));
      await fixture.expectMails({ receipts, ...(recoveredAt === undefined ? {} : { recoveredAt }) });
    },
  };
}

test('Postfix gets a mail by STARTTLS alone: none with a certificate of an unknown authority, and the mail once it is known', async () => {
  const { distrusting, settings, postfix, submit, untilDelivered, expectDelivered } = await setUpMailServer({});
  const distrustful = await startWorker(distrusting);
  await submit(makeContactBody());
  await waitFor('the alert', () => distrustful.output().includes('"alert":"mail-configuration"'));
  await distrustful.stop();
  expect(await postfix.listMails('sales')).toEqual([]);

  const recoveredAt = Date.now();
  await startWorker(settings);
  const [delivered] = await untilDelivered('sales', 1);
  expect(delivered?.raw).toMatch(/^Received: .*\n.*using TLSv1\.[23] with cipher .*[^]*by mail\.example\.com \(Postfix\) with ESMTPS /m);
  await expectDelivered('sales', recoveredAt);
});

test('each mail of a request reaches the mailbox as it was written, in lines and characters that any server passes on', async () => {
  const body = makeContactBody({
    name: 'Zoë “Größe” O’Neil',
    email: 'zoe.o-neil@bücher.example.org',
    company: '株式会社 Größe & Töchter, die einen so langen Namen haben, dass er in keine Zeile eines Betreffs passt',
    message: `Grüße aus Zürich,\n.\n..\nFrom here on: ${'ein langes Wort und '.repeat(80)}\n${'x'.repeat(2_000)}\n\n👩‍🚀 = =?utf-8?q?no?=\n`,
  });
  const { settings, database, submit, untilDelivered, expectDelivered } = await setUpMailServer({
    settings: {
      SITE_NAME: 'Größe & Co',
      MAIL_FROM: 'Größe & Co <site@example.com>',
      SALES_EMAIL: 'Vertrieb Größe <sales@example.com>',
    },
  });
  const { site, timeZone, followUp } = loadConfig(settings);
  const promise = createResponsePromise(followUp);
  await startWorker(settings);
  await submit(body);
  for (const [sent, stage] of plannedStages.entries()) {
    await database('deliveries').where({ stage }).update({ due_at: database.fn.now() });
    await waitFor(`the mail of ${stage}`, async () => (await countStates(database))['sent'] === sent + 1);
  }
  const submission = await findSubmission(database, body.id);
  if (!submission) throw new Error('The request was not stored.');

  const deliveries = await database('deliveries').where({ submission_id: body.id });
  const mails = await listFollowUpMails(database, body.id);
  const delivered = await untilDelivered('sales', plannedStages.length);
  for (const { raw, mail } of delivered) {
    const { id, stage } = deliveries.find((row) => mail.messageId?.includes(row.id)) ?? {};
    if (!stage) throw new Error(`No delivery has the mail ${mail.messageId}.`);
    const [requestUrl = ''] = /http:\S+\/follow-up\/\S+/.exec(mail.text ?? '') ?? [];
    const written = renderMail(
      writeFollowUpMail(stage, submission, {
        ...{ siteName: site.name, timeZone, promise, requestUrl, now: new Date(mail.date ?? '') },
        ...{ mails: mails.slice(0, plannedStages.findIndex((planned) => planned === stage)), events: [], isForOne: false, refusedBy: undefined, wasRefused: false, isUnreachable: false, isForHolder: false, cause: undefined },
      }),
    );

    expect(mail).toMatchObject({
      messageId: `<follow-up-${stage}-${id}@example.com>`,
      from: { name: 'Größe & Co', address: 'site@example.com' },
      to: [{ name: 'Vertrieb Größe', address: 'sales@example.com' }],
      replyTo: [{ name: body.name, address: `zoe.o-neil@${domainToASCII('bücher.example.org')}` }],
      subject: written.subject,
    });
    // A part ends with one line break more.
    expect(mail.text?.trimEnd()).toBe(written.text.trimEnd());
    expect(mail.html?.trimEnd()).toBe(written.html.trimEnd());
    expect(raw).not.toMatch(/[^\n\t\x20-\x7e]/);
    expect(Math.max(...raw.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(MAX_LINE);
  }
  await expectDelivered('sales');
});

test('a mail that Postfix greylists is tried again until the time is over, and delivered once', async () => {
  const { settings, postfix, submit, readFirst, untilDelivered, expectDelivered } = await setUpMailServer({
    policy: makeGreylist(2_000),
  });
  const worker = await startWorker(settings);
  await submit(makeContactBody());
  await untilDelivered('sales', 1);
  await waitFor('the record', async () => (await readFirst())?.state === 'sent');

  expect(await postfix.readLog()).toMatch(/reject: RCPT .* 450 4\.7\.1 .*Greylisted/);
  const delivery = await readFirst();
  expect(delivery?.attempts).toBeGreaterThan(1);
  expect(delivery?.maybe_duplicate).toBe(false);
  expect(worker.output()).not.toMatch(/"alert":"(?:mail-configuration|recipient-refused|delivery-dead)"/);
  await expectDelivered('sales');
});

test('a mail that Postfix refuses for now after its end is tried again, and is not taken for one that may have been accepted', async () => {
  const answers = ['451 4.3.0 Try again later', '452 4.3.1 Insufficient system storage'];
  const { settings, submit, readFirst, untilDelivered, expectDelivered } = await setUpMailServer({
    policy: (question) =>
      (question.get('protocol_state') === 'END-OF-MESSAGE' ? answers.shift() : undefined) ?? 'DUNNO',
  });
  await startWorker(settings);
  await submit(makeContactBody());
  await untilDelivered('sales', 1);
  await waitFor('the record', async () => (await readFirst())?.state === 'sent');

  expect(await readFirst()).toMatchObject({ attempts: 3, maybe_duplicate: false });
  await expectDelivered('sales');
});

test('a recipient whom Postfix does not know keeps the mail from nobody else, and raises an alert', async () => {
  const { settings, submit, readFirst, untilDelivered, expectDelivered } = await setUpMailServer({
    settings: { SALES_EMAIL: 'gone@example.com, sales@example.com' },
  });
  const worker = await startWorker(settings);
  await submit(makeContactBody());
  await untilDelivered('sales', 1);
  await waitFor('the record', async () => (await readFirst())?.state === 'sent');

  await waitFor('the alert', () => worker.output().includes('"alert":"recipient-refused"'));
  expect(worker.output()).not.toContain('gone@example.com');
  await expectDelivered('sales');
});

test('a recipient whom Postfix greylists alone gets a mail of his own, and the others no second one', async () => {
  const greylist = makeGreylist(1_000);
  const { settings, database, submit, untilDelivered, postfix } = await setUpMailServer({
    mailboxes: ['sales', 'boss'],
    policy: (question) => (question.get('recipient') === 'boss@example.com' ? greylist(question) : 'DUNNO'),
    settings: { SALES_EMAIL: 'sales@example.com, boss@example.com' },
  });
  await startWorker(settings);
  await submit(makeContactBody());
  await untilDelivered('boss', 1);
  await waitFor('the record', async () => {
    const states = await database('deliveries').where({ stage: 'new' }).select('state');

    return states.length === 2 && states.every(({ state }) => state === 'sent');
  });

  expect(await postfix.listMails('boss')).toHaveLength(1);
  expect(await postfix.listMails('sales')).toHaveLength(1);
});

test('a mail over Postfix’ size limit is dead at once with an alert, and delivered after the limit was raised and an operator has retried it', async () => {
  const { settings, postfix, submit, readFirst, untilDelivered, expectDelivered } = await setUpMailServer({
    parameters: { message_size_limit: String(SMALL_LIMIT) },
  });
  const worker = await startWorker(settings);
  await submit(makeContactBody({ message: 'Grüße. '.repeat(700) }));
  await waitFor('the alert', () => worker.output().includes('"alert":"delivery-dead"'));
  expect(await readFirst()).toMatchObject({ state: 'dead', last_error: 'smtp-552', attempts: 1 });
  expect(await postfix.listMails('sales')).toEqual([]);

  // An open session has the limit that it began with.
  await worker.stop();
  await postfix.configure('message_size_limit', String(SMALL_LIMIT * 10));
  const recoveredAt = Date.now();
  expect((await spawnOps(settings, 'deliveries', 'retry', '--dead')).exitCode).toBe(0);
  await startWorker(settings);
  await untilDelivered('sales', 1);
  await waitFor('the record', async () => (await readFirst())?.state === 'sent');
  await expectDelivered('sales', recoveredAt);
});
