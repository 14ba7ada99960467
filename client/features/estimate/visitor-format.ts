type DecimalMark = '.' | ',';

export type VisitorFormat = ReturnType<typeof makeVisitorFormat>;

/**
 * Regions by the currency that is used there; everywhere else amounts are in dollars. An amount in it is usually
 * `scale` times as large as in dollars.
 */
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

/** The language and place a browser names, or those of our texts where it names none that is valid. */
function readLocale(language: string): Intl.Locale {
  try {
    return new Intl.Locale(language);
  } catch {
    return new Intl.Locale('en-US');
  }
}

const writeFinite = (format: Intl.NumberFormat) => (value: number) => Number.isFinite(value) ? format.format(value) : '–';

/**
 * The currency of a place (by ISO 4217) with its scale, and numbers as its people write them: with at most two
 * decimals, amounts in whole units, and a dash for what is no number.
 * @param language as `navigator.language` has it
 */
export function makeVisitorFormat(language: string) {
  const locale = readLocale(language);
  // In no list: each has the empty text.
  const { region = '?' } = locale.maximize();
  const place = currencies.find(({ regions }) => regions.includes(region)) ?? { currency: 'USD', scale: 1 };
  // The texts around them have no other digits.
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
 * A number with what people type or paste around it: a currency sign or word before it, a unit after it. A dot after
 * a letter belongs to the word (`kr. 450`).
 */
const NUMBER = /^(?:\p{L}\.?|[^\p{L}\d.,−-])*([.,]?\d[\d.,'’\s]*)\D*$/u;

/** A space or an apostrophe between a thousand and the three digits after it. */
const THOUSANDS_SPACE = /(?<=\d)[\s'’](?=\d{3}(?!\d))/g;

/** The mark before the decimals, if there is one: of two kinds the last, and never one that occurs twice. */
function findDecimalMark(digits: string, decimalMark: DecimalMark): string | undefined {
  const marks: readonly string[] = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined || marks.indexOf(last) !== marks.length - 1) return undefined;
  // The only mark stands where it can only separate thousands, or could in this language.
  if (marks.length === 1 && last !== decimalMark && /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return undefined;

  return last;
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
