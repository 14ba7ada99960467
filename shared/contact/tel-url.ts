/** An extension after the number: `ext. 5`, `x5`, `DW 5`, `#5`. */
const EXTENSION = /\s*(?:[,;]?\s*(?:ext(?:ension|n)?|x|dw|durchwahl)\.?|#)[\s:]*\d+\s*$/i;
/** The `(0)` in `+43 (0) 1 …` is only dialed without the country code. */
const TRUNK_ZERO = /(?<=^[\s(]*(?:\+|00)[^(]*)\(0\)/;
const NOT_IN_PHONE_NUMBER = /[^\d\s().\/\u2010-\u2015-]/;

/** Number of digits, from special services up to the maximum of ITU-T E.164. */
const DIGITS = { min: 3, max: 15 } as const;

/** Returns the `tel` URL of a phone number as typed, or undefined if the text isn't clearly one number. */
export function makeTelUrl(phone: string): string | undefined {
  const number = phone.normalize('NFKC').replace(EXTENSION, '').replace(TRUNK_ZERO, '');
  const plus = /^[\s(]*\+/.test(number) ? '+' : '';
  const rest = number.replace(/^([\s(]*)\+/, '$1');
  const digits = rest.replace(/\D/g, '');
  const isNumber =
    !NOT_IN_PHONE_NUMBER.test(rest) && digits.length >= DIGITS.min && digits.length <= DIGITS.max;

  return isNumber ? `tel:${plus}${digits}` : undefined;
}
