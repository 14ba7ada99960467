import type { MailContent } from './mail-content.ts';
import { cleanText } from './untrusted-text.ts';
import type { OutgoingMail } from './mailer.ts';
import { renderHtml } from './render-html.ts';
import { renderText } from './render-text.ts';

/** Both forms of a mail, and its subject on one line without anything that disguises it. */
export function renderMail(mail: MailContent): Pick<OutgoingMail, 'subject' | 'text' | 'html'> {
  return {
    subject: cleanText(mail.subject).replace(/\s+/g, ' '),
    text: renderText(mail),
    html: renderHtml(mail),
  };
}
