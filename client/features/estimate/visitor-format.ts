import type { DecimalMark } from './parse-number.ts';

/** Regions and the currency that is used there; everywhere else amounts are in dollars. */
const regionsByCurrency: Readonly<Record<string, string>> = {
  EUR: 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK',
  GBP: 'GB',
  CHF: 'CH LI',
  CAD: 'CA',
  AUD: 'AU',
  NZD: 'NZ',
  SGD: 'SG',
  SEK: 'SE',
  NOK: 'NO',
  DKK: 'DK',
  CZK: 'CZ',
  PLN: 'PL',
  ZAR: 'ZA',
  MXN: 'MX',
  JPY: 'JP',
};

/** How many times as large as in dollars amounts usually are, as a power of ten; where it is one, it is left out. */
const scales: Readonly<Record<string, number>> = { SEK: 10, NOK: 10, DKK: 10, CZK: 10, ZAR: 10, MXN: 10, JPY: 100 };

/** The currency of a place, and numbers and amounts as its people write them. */
export interface VisitorFormat {
  /** By ISO 4217. */
  readonly currency: string;
  /** Times which an amount that was meant in dollars is of a usual size. */
  readonly scale: number;
  readonly decimalMark: DecimalMark;
  /** With at most two decimals; a dash for what is no number. */
  readonly writeNumber: (value: number) => string;
  /** In whole units of the currency; a dash for what is no number. */
  readonly writeAmount: (value: number) => string;
}

/** The language and place a browser names, or those of our texts where it names none that is valid. */
function readLocale(language: string): Intl.Locale {
  try {
    return new Intl.Locale(language);
  } catch {
    return new Intl.Locale('en-US');
  }
}

const writeFinite = (format: Intl.NumberFormat) => (value: number) => Number.isFinite(value) ? format.format(value) : '–';

/** @param language as `navigator.language` has it */
export function makeVisitorFormat(language: string): VisitorFormat {
  const locale = readLocale(language);
  // In no list: each has the empty text.
  const { region = '?' } = locale.maximize();
  const currency = Object.keys(regionsByCurrency).find((code) => regionsByCurrency[code]?.includes(region)) ?? 'USD';
  // The texts around them have no other digits.
  const digits = { numberingSystem: 'latn' };
  const numbers = new Intl.NumberFormat(locale, { ...digits, maximumFractionDigits: 2 });
  const amounts = new Intl.NumberFormat(locale, {
    ...digits,
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 0,
  });

  return {
    currency,
    scale: scales[currency] ?? 1,
    decimalMark: numbers.formatToParts(0.5).some(({ value }) => value === ',') ? ',' : '.',
    writeNumber: writeFinite(numbers),
    writeAmount: writeFinite(amounts),
  };
}
