/** Where a text stands on the screen, in pixels. */
export interface TextPosition {
  /** Distance of its first line from the top of the screen; negative once it has gone by. */
  readonly top: number;
  readonly height: number;
  readonly screenHeight: number;
}

/**
 * How much of a text has been scrolled through, from 0 to 1: nothing while its beginning is still
 * on the screen, all once its end is.
 */
export function measureProgress({ top, height, screenHeight }: TextPosition): number {
  const distance = height - screenHeight;
  if (distance <= 0) return top + height <= screenHeight ? 1 : 0;

  return Math.min(1, Math.max(0, -top / distance));
}
