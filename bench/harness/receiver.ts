import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { OnCleanup } from './benchmark.ts';
import type { Environment } from './pinned-process.ts';

/** The mail server and the webhook that a worker sends to. */
export interface Receiver {
  /** Of a worker that sends to them. */
  readonly settings: Environment;
  /** How often each mail and each event arrived, by its Message-ID or webhook-id. */
  readonly arrivals: Map<string, number>;
}

/** Starts a mail server and a webhook in this process until the cleanup. */
export async function startReceiver(onCleanup: OnCleanup): Promise<Receiver> {
  const arrivals = new Map<string, number>();
  const count = (id = 'without an id') => arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        count(/^message-id:\s*(<[^>]+>)/im.exec(Buffer.concat(chunks).toString('latin1'))?.[1]);
        callback();
      });
    },
  });
  // A worker that exits resets its connections.
  smtp.on('error', () => undefined);
  const mails = smtp.listen(0, '127.0.0.1');
  const webhook = createServer((request, response) => {
    request.resume().on('end', () => {
      count(request.headers['webhook-id']?.toString());
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await Promise.all([once(mails, 'listening'), once(webhook, 'listening')]);
  onCleanup(() => {
    webhook.close();
    smtp.close();
  });
  const portOf = (server: { address: () => unknown }) => (server.address() as AddressInfo).port;

  return {
    arrivals,
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${portOf(mails)}`,
      CRM_PROVIDER: 'webhook',
      CRM_WEBHOOK_URL: `http://127.0.0.1:${portOf(webhook)}/leads`,
      CRM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      OUTBOUND_ALLOW: '127.0.0.1',
    },
  };
}
