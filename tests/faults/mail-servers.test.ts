import { expect } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, type FaultFixture } from './fault-fixture.ts';
import { listMailReceipts } from './reconcile.ts';

const findFirst = ({ database }: FaultFixture) =>
  database('deliveries').where({ stage: 'new' }).first();

/** Returns the delays before retries that the worker logged, in milliseconds. */
const listBackOffs = (output: string) =>
  Array.from(output.matchAll(/"delayMs":(\d+)/g), ([, ms]) => Number(ms));

faultRow(29, 'The SMTP server refuses connections: attempts back off, there is an alert, and the mail is sent once the server is back', async (chance) => {
  const port = await findFreePort();
  const fixture = await setUpFault({ ...oneMail, SMTP_URL: `smtp://127.0.0.1:${port}` });
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  await fixture.submit(web.origin);

  await waitFor('the alert', () => worker.output().includes('"alert":"delivery-overdue"'));
  await chance.letTimePass(1_000);
  await waitFor('more attempts', async () => ((await findFirst(fixture))?.attempts ?? 0) > 2);
  expect(await countStates(fixture.database)).not.toHaveProperty('dead');
  expect((await findFirst(fixture))?.last_error).toMatch(/^smtp-/);
  const [first = 0, second = 0] = listBackOffs(worker.output());
  expect(second).toBeGreaterThan(first);

  const recoveredAt = Date.now();
  const sink = await startSmtpSink({ port });
  await waitFor('the mail', async () => (await findFirst(fixture))?.state === 'sent');
  await fixture.expectMails({ receipts: listMailReceipts(sink.received), recoveredAt });
});
