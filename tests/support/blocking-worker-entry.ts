import nodemailer from 'nodemailer';

/*
 * The worker of `worker-entry.ts`, but its first mail blocks the event loop for WORKER_BLOCKS_MS at
 * the moment the SMTP server has accepted it: nothing of the process runs meanwhile.
 */

type SendMail = ReturnType<typeof nodemailer.createTransport>['sendMail'];

let remainingMs = Number(process.env['WORKER_BLOCKS_MS']);
const { createTransport } = nodemailer;

function blockOnce(): void {
  const end = performance.now() + remainingMs;
  remainingMs = 0;
  while (performance.now() < end);
}

nodemailer.createTransport = ((...options: Parameters<typeof createTransport>) => {
  const transport = createTransport(...options);
  const sendMail: SendMail = transport.sendMail.bind(transport);
  transport.sendMail = (async (mail: Parameters<SendMail>[0]) => {
    const sent: unknown = await sendMail(mail);
    blockOnce();

    return sent;
  }) as SendMail;

  return transport;
}) as typeof createTransport;

await import('./worker-entry.ts');
