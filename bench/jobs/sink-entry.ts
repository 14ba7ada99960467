import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';
import { isForSink, type Taken } from './sink.ts';

/*
 * A mail server (`SMTP_PORT`) and a receiver of webhooks (`PORT`) in one process that take everything
 * and count it, by the name each mail and each event has: a repeat is one more with the same name.
 */

const MESSAGE_ID = /^message-id:\s*(<[^>]+>)/im;

function makeCounter() {
  const names = new Set<string>();
  let all = 0;

  return {
    take: (name: string | undefined) => {
      all += 1;
      if (name !== undefined) names.add(name);
    },
    read: () => ({ all, distinct: names.size }),
    forget: () => {
      names.clear();
      all = 0;
    },
  };
}

const [mails, events] = [makeCounter(), makeCounter()];

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _session, callback) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      mails.take(MESSAGE_ID.exec(Buffer.concat(chunks).toString('latin1'))?.[1]);
      callback();
    });
  },
});
// A worker that ends cuts its connections.
smtp.on('error', () => undefined);
smtp.listen(Number(process.env['SMTP_PORT']), '127.0.0.1');

createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const { method, url = '', headers } = request;
    if (!isForSink(url)) {
      events.take(headers['webhook-id']?.toString());
      response.writeHead(204).end();

      return;
    }
    if (method === 'DELETE') {
      mails.forget();
      events.forget();
    }
    const taken: Taken = { mails: mails.read(), events: events.read() };
    response.end(JSON.stringify(taken));
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
