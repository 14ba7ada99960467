import { pass, warn, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { isImageOld, readImage, type Image } from '../../shared/node/monitoring/image.ts';
import { Day } from '../../shared/time.ts';

/** @param now milliseconds since 1970 */
export function assessImage(image: Image | undefined, now: number): CheckOutcome {
  if (!image) return { state: 'info', detail: 'This runs in no image of the Dockerfile.' };
  const days = Math.max(0, Math.floor((now - image.created) / Day));
  const age = `built ${new Date(image.created).toISOString().slice(0, 10)}, ${days} days ago`;
  if (isImageOld(image, now)) {
    return warn(`It was ${age}, and lacks the fixes since then: see docs/operations/monthly-refresh.md.`);
  }

  return pass(`Version ${image.version}, ${age}.`);
}

/** Checks the age of the image that the doctor runs in; a refresh builds all images at the same time. */
export const checkImage: Check = {
  name: 'image',
  run: async () => assessImage(await readImage(), Date.now()),
};
