import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { renderMail } from '../../../shared/node/mail/render-mail.ts';
import { writePlainMail } from '../../support/sample-mails.ts';

const folder = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));

/** In pixels. If the mail is shown half as wide as the page, both have the same height. */
const sizes = { home: { width: 1280, height: 800 }, mail: { width: 682, height: 880 } } as const;
/** Low enough that both pictures together are at most 200 kB. */
const WEBP_QUALITY = 80;

async function writePicture(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await sharp(await page.screenshot({ animations: 'disabled' }))
    .webp({ quality: WEBP_QUALITY })
    .toFile(`${folder}${name}.webp`);
}

/** Writes the pictures that the README opens with: the home page's first view, and the first mail to sales. */
export async function writeReadmePictures(browser: Browser, origin: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const home = await context.newPage();
  await home.setViewportSize(sizes.home);
  await home.goto(origin, { waitUntil: 'networkidle' });
  await writePicture(home, 'home-page');
  const mail = await context.newPage();
  await mail.setViewportSize(sizes.mail);
  await mail.setContent(renderMail(writePlainMail()).html);
  await writePicture(mail, 'mail-to-sales');
  await context.close();
}
