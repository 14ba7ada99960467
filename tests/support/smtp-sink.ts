import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly mail: Email;
  readonly receivedAt: number;
  readonly header: (name: string) => string | undefined;
}

/** What the sink does with the next mail: refuse it, or go silent before or after taking it. */
export type SinkFault =
  | { readonly kind: 'hang-before' }
  | { readonly kind: 'refuse'; readonly code: number }
  | { readonly kind: 'hang-after' };

/** A real SMTP server that keeps what it is given. */
export interface SmtpSink {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Used up one per mail, first in first out. */
  readonly faults: SinkFault[];
  /** Number of mails offered so far, taken or not. */
  readonly countOffers: () => number;
  close(): Promise<void>;
}

async function parse(raw: string): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw);

  return {
    mail,
    receivedAt: Date.now(),
    header: (name) => mail.headers.find(({ key }) => key === name.toLowerCase())?.value,
  };
}

export async function startSmtpSink(): Promise<SmtpSink> {
  const received: ReceivedMail[] = [];
  const faults: SinkFault[] = [];
  let offers = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, callback) => {
      offers += 1;
      if (faults[0]?.kind === 'hang-before') faults.shift();
      else callback();
    },
    onData: (stream, { envelope }, callback) => {
      void text(stream).then(async (raw) => {
        const fault = faults.shift();
        if (fault?.kind === 'refuse') {
          // Servers repeat the address they refuse.
          const refusal = new Error(`refused: ${envelope.rcptTo.map(({ address }) => address).join()}`);
          callback(Object.assign(refusal, { responseCode: fault.code }));

          return;
        }
        received.push(await parse(raw));
        if (fault?.kind !== 'hang-after') callback();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    faults,
    countOffers: () => offers,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
