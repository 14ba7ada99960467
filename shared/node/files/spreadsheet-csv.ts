import type { Options } from 'csv-stringify';

/** A cell's beginning that a spreadsheet would run. Source: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^(?:["\s]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** Separators before a formula in sheets that split at `;` or tabs. Whole runs, in linear time. */
const SEPARATORS = /[;\t\r\n][";\s]*/gu;
const FORMULA_SIGN = /[=+\-@＝＋－＠]/u;

/** A phone number (five to fifteen digits after one plus, E.164) that no sheet computes or reads as a date. */
const PHONE_NUMBER = /^(?=(?:\D*\d){5,15}\D*$)\+\d(?:[\d ()]*|(?=.*[\d)] [\d(])[\d ().-]*)$/u;

/** Puts an apostrophe before a formula: a spreadsheet displays it as it was typed. */
function escapeFormulas(text: string): string {
  if (PHONE_NUMBER.test(text)) return text;
  const escaped = text.replace(SEPARATORS, (run, offset: number) =>
    FORMULA_SIGN.test(text.charAt(offset + run.length)) ? `${run}'` : run);

  return FORMULA.test(escaped) ? `'${escaped}` : escaped;
}

/** CSV as spreadsheets read it safely (RFC 4180): no formulas, and messages with line breaks are quoted. */
export const spreadsheetCsv: Options = {
  cast: { string: escapeFormulas },
  record_delimiter: 'windows',
  quoted_match: /[\r\n\t;]/,
};
