import { expect, test } from 'vitest';
import { composeMessage } from './mailer.ts';

test.each([
  ['The Site <site@bücher.example>', 'xn--bcher-kva.example'],
  ['site@example.com', 'example.com'],
])('a mail from %s has an ASCII Message-ID', (from, domain) => {
  const mail = { key: 'b', references: ['a'], to: ['ada@example.org'], subject: 'S', text: 'T', html: 'H', headers: {} };

  expect(composeMessage(mail, from)).toMatchObject({
    messageId: `<b@${domain}>`,
    inReplyTo: `<a@${domain}>`,
    references: [`<a@${domain}>`],
  });
});
