import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import type { MailSettings } from '../mail-settings.ts';

interface ConfirmationContext extends Pick<MailSettings, 'siteName' | 'publicUrl'> {
  readonly confirmUrl: string;
  readonly unsubscribeUrl: string;
}

/** Writes the mail that asks whether it was the owner of the address who subscribed. */
export function writeConfirmationMail({
  siteName,
  publicUrl,
  confirmUrl,
  unsubscribeUrl,
}: ConfirmationContext): MailContent {
  return {
    siteName,
    subject: `[${siteName}] Please confirm your subscription`,
    preview: 'Open the link and press Confirm. If it was not you, ignore this email.',
    heading: 'Please confirm your subscription',
    lead: `Someone, probably you, entered this address for the ${siteName} newsletter on ${publicUrl}. The link below opens a page with one button that confirms it. The link works for 30 days.`,
    highlight: null,
    rows: [],
    message: null,
    link: { label: 'Confirm your subscription', url: confirmUrl },
    sections: [],
    note: 'If it was not you, ignore this email: without your confirmation no newsletter is sent. You can leave at any time.',
    noteLink: { label: 'Unsubscribe', url: unsubscribeUrl },
  };
}
