import { access, constants, mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import nodemailer from 'nodemailer';
import { getErrorCode } from '../logging/describe-error.ts';
import { DeliveryError } from '../outbound/delivery-error.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { composeMessage, type Mailer } from './mailer.ts';

/** Creates a mailer that writes `.eml` files atomically. A repeated mail replaces its file. */
export function createFileMailer(directory: string, from: string): Mailer {
  const folder = resolve(directory);
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });

  return {
    send: async (mail, { beforeEnd }) => {
      const { message, messageId } = await transport.sendMail(composeMessage(mail, from));
      const path = join(folder, `${mail.key}.eml`);

      await mkdir(folder, { recursive: true });
      await writeFile(`${path}.part`, message, { mode: 0o600, flush: true });
      try {
        await beforeEnd?.();
      } catch (error) {
        await unlink(`${path}.part`);
        throw error;
      }
      await rename(`${path}.part`, path);
      await syncFolder(folder);

      return { messageId, deferred: [], refused: [] };
    },
    verify: async () => {
      try {
        await mkdir(folder, { recursive: true });
        await access(folder, constants.W_OK | constants.X_OK);
      } catch (error) {
        const code = getErrorCode(error) ?? 'unexpected-error';
        throw new DeliveryError('retry', `mail-folder-${code}`, { cause: error });
      }
    },
    close: () => transport.close(),
  };
}
