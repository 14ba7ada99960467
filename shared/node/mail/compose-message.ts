import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from './mailer.ts';

/** `Name <site@example.com>` and `site@example.com` → `example.com`. */
function getDomain(mailbox: string): string {
  return /@([^\s<>@]+)>?$/.exec(mailbox)?.[1] ?? 'localhost';
}

/** The same delivery always has the same Message-ID, so that a repeated mail is recognised. */
function makeMessageId(key: string, from: string): string {
  return `<${key}@${getDomain(from)}>`;
}

/** What Nodemailer is given; it may read neither files nor addresses named in the content. */
export function composeMessage(mail: OutgoingMail, from: string): SendMailOptions {
  return {
    from,
    to: [...mail.to],
    replyTo: mail.replyTo,
    messageId: makeMessageId(mail.key, from),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: { ...mail.headers, 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
