import { existsSync } from 'node:fs';
import nodemailer from 'nodemailer';

/*
 * The worker of `worker-entry.ts`, but at the moment the SMTP server has accepted a mail it blocks its
 * event loop as long as the file WORKER_BLOCKS_WHILE is there: nothing of the process runs meanwhile.
 */

type SendMail = ReturnType<typeof nodemailer.createTransport>['sendMail'];

const blocker = process.env['WORKER_BLOCKS_WHILE'] ?? '';
const { createTransport } = nodemailer;

function block(): void {
  while (existsSync(blocker));
}

nodemailer.createTransport = ((...options: Parameters<typeof createTransport>) => {
  const transport = createTransport(...options);
  const sendMail: SendMail = transport.sendMail.bind(transport);
  transport.sendMail = (async (mail: Parameters<SendMail>[0]) => {
    const sent: unknown = await sendMail(mail);
    block();

    return sent;
  }) as SendMail;

  return transport;
}) as typeof createTransport;

await import('./worker-entry.ts');
