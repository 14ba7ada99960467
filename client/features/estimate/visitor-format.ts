type DecimalMark = '.' | ',';

export type VisitorFormat = ReturnType<typeof makeVisitorFormat>;

/** Regions by currency. Other regions use dollars. `scale` is the amount per dollar, rounded to a power of ten. */
const currencies = [
  { currency: 'EUR', regions: 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK', scale: 1 },
  { currency: 'GBP', regions: 'GB', scale: 1 },
  { currency: 'CHF', regions: 'CH LI', scale: 1 },
  { currency: 'CAD', regions: 'CA', scale: 1 },
  { currency: 'AUD', regions: 'AU', scale: 1 },
  { currency: 'NZD', regions: 'NZ', scale: 1 },
  { currency: 'SGD', regions: 'SG', scale: 1 },
  { currency: 'SEK', regions: 'SE', scale: 10 },
  { currency: 'NOK', regions: 'NO', scale: 10 },
  { currency: 'DKK', regions: 'DK', scale: 10 },
  { currency: 'CZK', regions: 'CZ', scale: 10 },
  { currency: 'PLN', regions: 'PL', scale: 1 },
  { currency: 'ZAR', regions: 'ZA', scale: 10 },
  { currency: 'MXN', regions: 'MX', scale: 10 },
  { currency: 'JPY', regions: 'JP', scale: 100 },
];

/** Returns the locale of `language`, or `en-US` if it is invalid. */
function readLocale(language: string): Intl.Locale {
  try {
    return new Intl.Locale(language);
  } catch {
    return new Intl.Locale('en-US');
  }
}

const writeFinite = (format: Intl.NumberFormat) => (value: number) => Number.isFinite(value) ? format.format(value) : '–';

/**
 * Returns the currency (ISO 4217), scale and decimal mark of the visitor's region, and its number formats. Numbers have
 * at most two decimals, amounts none. NaN becomes a dash. @param language `navigator.language`
 */
export function makeVisitorFormat(language: string) {
  const locale = readLocale(language);
  // `?` stands for an unknown region, which isn't in any list.
  const { region = '?' } = locale.maximize();
  const place = currencies.find(({ regions }) => regions.includes(region)) ?? { currency: 'USD', scale: 1 };
  // Use Latin digits, like the surrounding text.
  const digits = { numberingSystem: 'latn' };
  const numbers = new Intl.NumberFormat(locale, { ...digits, maximumFractionDigits: 2 });
  const amounts = new Intl.NumberFormat(locale, {
    ...digits,
    style: 'currency',
    currency: place.currency,
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 0,
  });
  const decimalMark: DecimalMark = numbers.formatToParts(0.5).some(({ value }) => value === ',') ? ',' : '.';

  return { ...place, decimalMark, writeNumber: writeFinite(numbers), writeAmount: writeFinite(amounts) };
}

/**
 * Matches a number, optionally after a currency sign or word and before a unit. A dot after a letter belongs to the
 * word (`kr. 450`).
 */
const NUMBER = /^(?:\p{L}\.?|[^\p{L}\d.,−-])*([.,]?\d[\d.,'’\s]*)\D*$/u;

/** Matches a space or apostrophe used as a thousands separator. */
const THOUSANDS_SPACE = /(?<=\d)[\s'’](?=\d{3}(?!\d))/g;

/**
 * Returns the decimal mark, if any. If there are both points and commas, the last mark is the decimal mark. A mark that
 * occurs twice is a thousands separator.
 */
function findDecimalMark(digits: string, decimalMark: DecimalMark): string | undefined {
  const marks: readonly string[] = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined || marks.indexOf(last) !== marks.length - 1) return undefined;
  // A single mark may also be a thousands separator.
  if (marks.length === 1 && last !== decimalMark && /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return undefined;

  return last;
}

/**
 * Parses a number in any common notation, e.g. with a decimal comma, thousands separators, a currency or a unit.
 * @param decimalMark the mark in the visitor's language, for ambiguous numbers like `1,500`
 * @returns undefined if invalid or negative, `Infinity` if too large
 */
export function parseNumber(text: string, decimalMark: DecimalMark): number | undefined {
  const digits = NUMBER.exec(text)?.[1]?.trim().replace(THOUSANDS_SPACE, '');
  if (digits === undefined || /[^\d.,]/.test(digits)) return undefined;

  const mark = findDecimalMark(digits, decimalMark);
  const [whole = '', decimals = ''] = mark === undefined ? [digits] : digits.split(mark);

  return Number(`${whole.replace(/[.,]/g, '') || '0'}.${decimals || '0'}`);
}
