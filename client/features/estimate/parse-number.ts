export type DecimalMark = '.' | ',';

/**
 * A number with what people type or paste around it: a currency sign or word before it, a unit after it. A dot after
 * a letter belongs to the word (`kr. 450`).
 */
const NUMBER = /^(?:\p{L}\.?|[^\p{L}\d.,−-])*([.,]?\d[\d.,'’\s]*)\D*$/u;

/** A space or an apostrophe between a thousand and the three digits after it. */
const THOUSANDS_SPACE = /(?<=\d)[\s'’](?=\d{3}(?!\d))/g;

/** Whether the only mark in the number stands where it can only separate thousands, or could in this language. */
const separatesThousands = (digits: string, mark: string, decimalMark: DecimalMark) =>
  mark !== decimalMark && /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits);

/** The mark before the decimals, if there is one: of two kinds the last, and never one that occurs twice. */
function findDecimalMark(digits: string, decimalMark: DecimalMark): string | undefined {
  const marks: readonly string[] = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined || marks.indexOf(last) !== marks.length - 1) return undefined;

  return marks.length === 1 && separatesThousands(digits, last, decimalMark) ? undefined : last;
}

/**
 * Reads a number as people write it: with a decimal point or comma, with separated thousands, with a currency or a
 * unit beside it.
 * @param decimalMark of the visitor's language; it decides only what could be read in both ways, like `1,500`
 * @returns undefined for anything else, also for negative numbers; `Infinity` for more digits than a number has
 */
export function parseNumber(text: string, decimalMark: DecimalMark): number | undefined {
  const digits = NUMBER.exec(text)?.[1]?.trim().replace(THOUSANDS_SPACE, '');
  if (digits === undefined || /[^\d.,]/.test(digits)) return undefined;

  const mark = findDecimalMark(digits, decimalMark);
  const [whole = '', decimals = ''] = mark === undefined ? [digits] : digits.split(mark);

  return Number(`${whole.replace(/[.,]/g, '') || '0'}.${decimals || '0'}`);
}
