/** Control characters could start a new header; direction marks could disguise what follows. */
const NOT_FOR_HEADERS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * A stranger's words as they may stand in a header. What looks like an encoded word (RFC 2047) would
 * be decoded by the reader's program into whatever it hides.
 */
export function toHeaderText(text: string): string {
  return text.replace(NOT_FOR_HEADERS, ' ').replaceAll('=?', '= ?');
}
