import type { IncomingHttpHeaders } from 'node:http';

/** One range; several at once and other units are ignored, which RFC 9110 (section 14.2) allows. */
const RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

export interface ByteRange {
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
}

/**
 * The part of a body that a request asks for; undefined where it is to get the whole, `none` where the body has no such
 * part.
 * @param tag of the body, with its quotes: whoever has a part of another one needs the whole
 */
export function readRange(
  { range = '', 'if-range': known = '' }: IncomingHttpHeaders,
  tag: string,
  length: number,
): ByteRange | 'none' | undefined {
  const [match, first, last, suffix] = RANGE.exec(range) ?? [];
  if (match === undefined || (known !== '' && known !== tag)) return undefined;
  const start = first === undefined ? Math.max(0, length - Number(suffix)) : Number(first);
  const end = last ? Math.min(length, Number(last) + 1) : length;
  if (start >= length) return 'none';

  return start < end ? { start, end } : undefined;
}
