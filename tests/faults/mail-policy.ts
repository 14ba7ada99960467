import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** What Postfix says of the mail it asks about, such as `recipient`. */
type PolicyQuestion = ReadonlyMap<string, string>;

/** An action of Postfix' access(5), such as `DUNNO` (no objection) or `450 4.7.1 Come back later`. */
export type MailPolicy = (question: PolicyQuestion) => string;

/**
 * Starts a server that Postfix asks about each recipient and each whole mail: questions and answers are
 * lines, and an empty one ends each (http://www.postfix.org/SMTPD_POLICY_README.html).
 * @returns its port; it ends with the test
 */
export async function startPolicyServer(policy: MailPolicy): Promise<number> {
  const server = createServer((socket) => {
    let question = new Map<string, string>();
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      const [name = '', value = ''] = line.split(/=(.*)/);
      if (name !== '') {
        question.set(name, value);

        return;
      }
      socket.write(`action=${policy(question)}\n\n`);
      question = new Map();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  return (server.address() as AddressInfo).port;
}

/**
 * Refuses a sender's first mails to a recipient for `delayMs` milliseconds, as servers do against senders
 * that never try again.
 */
export function makeGreylist(delayMs: number): MailPolicy {
  const firstSeen = new Map<string, number>();

  return (question) => {
    if (question.get('protocol_state') !== 'RCPT') return 'DUNNO';
    const key = ['client_address', 'sender', 'recipient'].map((name) => question.get(name)).join(' ');
    const since = firstSeen.get(key) ?? performance.now();
    firstSeen.set(key, since);

    return performance.now() - since < delayMs ? 'DEFER_IF_PERMIT Greylisted, come back later.' : 'DUNNO';
  };
}
