import type { Page } from 'playwright-core';
import { waitFor } from '../../support/wait-for.ts';

/**
 * Scale of the screenshots. Fewer pixels are faster to render and compare, and take less space. The page layout doesn't
 * change.
 */
const SCALE = 1 / 3;

/** Number of columns in the mosaics that replace photos, which would take more bytes than everything else. */
const MOSAIC_COLUMNS = 16;

/** Stop all motion, and render what is below the viewport. */
const STYLES = `
  *, ::before, ::after {
    animation: none !important;
    transition: none !important;
    caret-color: transparent !important;
    content-visibility: visible !important;
  }
`;

/** Runs in the page. */
function prepare(styles: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets.push(sheet);
  // The port in the site's URL differs from run to run.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.nodeValue?.includes(location.host)) text.nodeValue = text.nodeValue.replaceAll(location.host, 'localhost');
  }
  // The sticky header would cover part of the page.
  scrollTo({ top: 0, behavior: 'instant' });
}

/**
 * Runs in the page until it returns true, when all fonts are loaded and mosaics have replaced all photos. A mosaic
 * becomes its photo's first source.
 */
function makeMosaics(columns: number): boolean {
  const images = [...document.images];
  for (const image of images) {
    Object.assign(image, { loading: 'eager', decoding: 'sync' });
    // A photo that failed to load is replaced by its placeholder.
    if (!image.complete || image.naturalWidth === 0 || image.currentSrc.startsWith('data:')) continue;
    const canvas = document.createElement('canvas');
    canvas.width = columns;
    canvas.height = Math.round((columns * image.naturalHeight) / image.naturalWidth);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('The browser has no canvas.');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const source = document.createElement('source');
    source.srcset = canvas.toDataURL();
    image.parentElement?.prepend(source);
    image.style.imageRendering = 'pixelated';
  }

  return (
    document.fonts.status === 'loaded' &&
    images.every(({ complete, currentSrc }) => complete && currentSrc.startsWith('data:'))
  );
}

/** Returns the area of the page or of one element, in whole pixels. */
async function findClip(page: Page, part: string | undefined) {
  if (part === undefined) {
    return page.evaluate(() => {
      const { clientWidth, scrollHeight } = document.documentElement;

      return { x: 0, y: 0, width: clientWidth, height: scrollHeight };
    });
  }
  const box = await page.locator(part).first().boundingBox();
  if (!box) throw new Error(`The page doesn’t show ${part}.`);
  const [x, y] = [Math.floor(box.x), Math.floor(box.y)];

  return { x, y, width: Math.ceil(box.x + box.width) - x, height: Math.ceil(box.y + box.height) - y };
}

/**
 * Returns a PNG of the complete page in its current state, at a third of its size and with photos as mosaics. The
 * browser context must bypass the page's content policy, which would forbid the mosaics.
 * @param part selector for the element to show. Only the first match is shown
 */
export async function takeScreenshot(page: Page, part?: string): Promise<Buffer> {
  await page.evaluate(prepare, STYLES);
  // An element under the pointer would look different.
  await page.mouse.move(0, 0);
  await waitFor('fonts and pictures', () => page.evaluate(makeMosaics, MOSAIC_COLUMNS));
  const clip = await findClip(page, part);
  // Playwright's own screenshot method can't scale.
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    clip: { ...clip, scale: SCALE },
    captureBeyondViewport: true,
    optimizeForSpeed: true,
  });

  return Buffer.from(data, 'base64');
}
