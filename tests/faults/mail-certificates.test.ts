import { expect, onTestFinished } from 'vitest';
import { createCertificateAuthority } from '../support/certificates.ts';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startSmtpSink, type SinkOptions } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';
import { listMailReceipts } from './reconcile.ts';

/** This machine under an address that isn't a loopback one, so that STARTTLS is demanded. */
const HERE = '0.0.0.0';
const LOGIN = 'site:canary-password';

async function makeAuthority() {
  const authority = await createCertificateAuthority();
  onTestFinished(() => authority.remove());

  return authority;
}

async function startSink(options: SinkOptions) {
  const sink = await startSmtpSink(options);
  onTestFinished(() => sink.close());

  return sink;
}

/** Posts a request and waits until the worker has raised the alert about its mail. */
async function submitInVain(smtpUrl: string, authority: string) {
  const fixture = await setUpFault(oneMail);
  const settings = { ...fixture.settings, SMTP_URL: smtpUrl, NODE_EXTRA_CA_CERTS: authority };
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  await fixture.submit(web.origin);
  await waitFor('the alert', () => worker.output().includes('"alert":"mail-configuration"'));
  const mail = await fixture.database('deliveries').where({ stage: 'new' }).first();

  expect(['pending', 'leased']).toContain(mail?.state);
  expect(worker.output()).not.toContain('canary-password');

  return { fixture, worker };
}

/** The same worker with the right setting sends the mail. */
async function expectSent(
  { fixture, worker }: Awaited<ReturnType<typeof submitInVain>>,
  changes: Readonly<Record<string, string>>,
  sink: Awaited<ReturnType<typeof startSink>>,
) {
  await worker.stop();
  const recoveredAt = Date.now();
  await startWorker({ ...fixture.settings, ...changes });
  await waitFor('the mail', () => sink.received.length === 1);
  await waitFor('the record', async () => {
    return (await fixture.database('deliveries').where({ stage: 'new' }).first())?.state === 'sent';
  });
  await fixture.expectMails({ receipts: listMailReceipts(sink.received), recoveredAt });
}

faultRow(34, 'SMTP with a certificate of an unknown authority: refused, pending, alert; with its CA file sent', async () => {
  const [known, unknown] = [await makeAuthority(), await makeAuthority()];
  const sink = await startSink({ ...(await unknown.issue('DNS:localhost')), secure: true });

  const tried = await submitInVain(sink.url, known.file);
  expect(sink.countOffers()).toBe(0);

  await expectSent(tried, { SMTP_URL: sink.url, NODE_EXTRA_CA_CERTS: unknown.file }, sink);
});

faultRow(34, 'SMTP with a certificate for another name: refused, pending, alert', async () => {
  const authority = await makeAuthority();
  const certificate = await authority.issue('DNS:other.example.com');
  const sink = await startSink({ ...certificate, secure: true });

  const { fixture } = await submitInVain(sink.url, authority.file);

  expect(sink.countOffers()).toBe(0);
  await fixture.expectMails();
});

faultRow(34, 'SMTP whose STARTTLS is stripped: no login and no mail in the clear, alert; with STARTTLS sent', async () => {
  const authority = await makeAuthority();
  const stripped = await startSink({});
  const tried = await submitInVain(`smtp://${LOGIN}@${HERE}:${stripped.port}`, authority.file);
  expect(stripped.countOffers()).toBe(0);

  const certificate = await authority.issue(`IP:${HERE}`);
  const honest = await startSink({ ...certificate, disabledCommands: [] });
  await expectSent(
    tried,
    { SMTP_URL: `smtp://${HERE}:${honest.port}`, NODE_EXTRA_CA_CERTS: authority.file },
    honest,
  );
});
