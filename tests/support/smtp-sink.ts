import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly mail: Email;
  readonly receivedAt: number;
  readonly header: (name: string) => string | undefined;
}

/** What the sink does with the next mail. */
export type SinkFault =
  | { readonly kind: 'hang-before' }
  | { readonly kind: 'refuse'; readonly code: number }
  | { readonly kind: 'hang-after' }
  /** Takes the mail and cuts the connection instead of saying so. */
  | { readonly kind: 'cut-after' }
  /** Takes the mail, but says so only after so many milliseconds. */
  | { readonly kind: 'answer-late'; readonly ms: number }
  /** Answers the sender one byte a second, and never to the end. */
  | { readonly kind: 'drip' };

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

/** `options` are those of smtp-server: a certificate, a login. */
export async function startSmtpSink(options: SMTPServerOptions = {}): Promise<SmtpSink> {
  const sockets = new Set<Socket>();
  const drips = new Set<NodeJS.Timeout>();
  const received: ReceivedMail[] = [];
  const faults: SinkFault[] = [];
  let offers = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...options,
    onMailFrom: (_address, _session, callback) => {
      offers += 1;
      const kind = faults[0]?.kind;
      if (kind === 'hang-before' || kind === 'drip') faults.shift();
      else callback();
      if (kind !== 'drip') return;
      for (const socket of sockets) drips.add(setInterval(() => socket.write('2'), 1_000));
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
        if (fault?.kind === 'hang-after') return;
        if (fault?.kind === 'answer-late') await wait(fault.ms);
        if (fault?.kind === 'cut-after') for (const socket of sockets) socket.destroy();
        else callback();
      });
    },
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;

  return {
    url: options.secure ? `smtps://localhost:${port}` : `smtp://127.0.0.1:${port}`,
    received,
    faults,
    countOffers: () => offers,
    close: () => {
      for (const drip of drips) clearInterval(drip);

      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
