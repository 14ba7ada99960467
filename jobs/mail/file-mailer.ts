import { mkdir, open, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import nodemailer from 'nodemailer';
import { syncFolder } from '../sync-folder.ts';
import { composeMessage } from './compose-message.ts';
import type { Mailer } from './mailer.ts';

/** Writes mails as `.eml` files, whole or not at all; a mail written again replaces itself. */
export function createFileMailer(directory: string, from: string): Mailer {
  const folder = resolve(directory);
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });

  return {
    send: async (mail) => {
      const { message, messageId } = await transport.sendMail(composeMessage(mail, from));
      const path = join(folder, `${mail.key}.eml`);

      await mkdir(folder, { recursive: true });
      const file = await open(`${path}.part`, 'w', 0o600);
      try {
        await file.writeFile(message);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.part`, path);
      await syncFolder(folder);

      return messageId;
    },
    close: () => transport.close(),
  };
}
