import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { Second } from '../../shared/time.ts';

export interface ReceivedMail {
  readonly mail: Email;
  readonly receivedAt: number;
  readonly header: (name: string) => string | undefined;
}

/** The sink's behavior for the next mail. */
export type SinkFault =
  /** Sends no response once the sender has announced the mail. */
  | { readonly kind: 'hang-before' }
  /** Accepts the announcement once `until` resolves. */
  | { readonly kind: 'hold-before'; readonly until: Promise<unknown> }
  /** Responds to the announcement with one byte per second, without ever completing it. */
  | { readonly kind: 'drip' }
  | { readonly kind: 'refuse'; readonly code: number }
  /** Accepts the mail and sends no response. */
  | { readonly kind: 'hang-after' }
  /** Accepts the mail and closes the connection instead of responding. */
  | { readonly kind: 'cut-after' }
  /** Accepts the mail and responds once `until` resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> };

/** Options for smtp-server, such as a certificate or a login, and the port. The default is a free port. */
export interface SinkOptions extends SMTPServerOptions {
  readonly port?: number;
}

/** A real SMTP server that stores what it receives. */
export interface SmtpSink {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Faults for the next mails, one per mail, in order. */
  readonly faults: SinkFault[];
  /** SMTP codes for recipients to refuse, by address. */
  readonly refusedRecipients: Map<string, number>;
  /** SMTP codes for mails to refuse by a word in their text, like a spam filter. */
  readonly refusedWords: Map<string, number>;
  /** The number of mails announced so far, including those that were not accepted. */
  readonly countOffers: () => number;
}

async function parse(raw: string): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw);

  return {
    mail,
    receivedAt: Date.now(),
    header: (name) => mail.headers.find(({ key }) => key === name.toLowerCase())?.value,
  };
}

/** Creates a refusal that quotes the address, as real servers do. */
function makeRefusal(code: number, { envelope }: SMTPServerSession, reason = 'refused'): Error {
  const refusal = new Error(`${reason}: ${envelope.rcptTo.map(({ address }) => address).join()}`);

  return Object.assign(refusal, { responseCode: code });
}

/** Sends an endless response that is just fast enough to avoid an idle timeout. */
function drip(socket: Socket | undefined): void {
  const timer = setInterval(() => socket?.write('2'), 1 * Second);
  socket?.once('close', () => clearInterval(timer));
}

/** Starts a server that stops when the test ends. */
export async function startSmtpSink({
  port: wantedPort = 0,
  ...options
}: SinkOptions = {}): Promise<SmtpSink> {
  const received: ReceivedMail[] = [];
  const faults: SinkFault[] = [];
  const refusedRecipients = new Map<string, number>();
  const refusedWords = new Map<string, number>();
  const sockets = new Map<number, Socket>();
  let offers = 0;

  const receive = async (raw: string, session: SMTPServerSession, respond: (error?: Error) => void) => {
    const fault = faults.shift();
    if (fault?.kind === 'refuse') return respond(makeRefusal(fault.code, session));
    const parsed = await parse(raw);
    const code = [...refusedWords].find(([word]) => parsed.mail.text?.includes(word))?.[1];
    if (code !== undefined) return respond(makeRefusal(code, session, 'refused as spam'));
    received.push(parsed);
    if (fault?.kind === 'hold') await fault.until;
    if (fault?.kind === 'cut-after') sockets.get(session.remotePort)?.destroy();
    else if (fault?.kind !== 'hang-after') respond();
  };

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...options,
    onMailFrom: (_address, session, callback) => {
      offers += 1;
      const [next] = faults;
      if (next?.kind === 'hang-before') faults.shift();
      else if (next?.kind === 'drip') {
        faults.shift();
        drip(sockets.get(session.remotePort));
      } else if (next?.kind === 'hold-before') {
        faults.shift();
        void next.until.then(() => callback());
      } else callback();
    },
    onRcptTo: ({ address }, session, callback) => {
      const code = refusedRecipients.get(address);
      if (code === undefined) callback();
      else callback(makeRefusal(code, session));
    },
    onData: (stream, session, callback) => {
      // An error means that the sender was killed in the middle of a mail, so the mail doesn't count as received.
      void text(stream).then((raw) => receive(raw, session, callback), callback);
    },
  });
  server.server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.set(remotePort, socket);
    socket.once('close', () => sockets.delete(remotePort));
  });
  server.on('error', () => undefined);
  server.listen(wantedPort, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;

  onTestFinished(async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets.values()) socket.destroy();
    await closed;
  });

  return {
    url: options.secure ? `smtps://localhost:${port}` : `smtp://127.0.0.1:${port}`,
    received,
    faults,
    refusedRecipients,
    refusedWords,
    countOffers: () => offers,
  };
}
