import type { Options } from 'csv-stringify';

/**
 * How a cell begins that a spreadsheet would run; signs in full width count too.
 * Source: https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^(?:["\s]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/**
 * Separators of cells or rows for a sheet that splits at `;` or tabs, with what may stand before a formula. Such a sheet
 * ignores our quotes, which are inside its cells. Whole runs: what looked ahead from each of many blank lines would take
 * their number squared.
 */
const SEPARATORS = /[;\t\r\n][";\s]*/gu;
const FORMULA_SIGN = /[=+\-@＝＋－＠]/u;

/**
 * A phone number that no sheet computes or reads as a date or a fraction: five to fifteen digits
 * (E.164) behind one plus; hyphens and dots only where a space between two groups makes the whole
 * no sum and no number.
 */
const PHONE_NUMBER = /^(?=(?:\D*\d){5,15}\D*$)\+\d(?:[\d ()]*|(?=.*[\d)] [\d(])[\d ().-]*)$/u;

/** Puts an apostrophe before a formula: a spreadsheet displays it as it was typed. */
function escapeFormulas(text: string): string {
  if (PHONE_NUMBER.test(text)) return text;
  const escaped = text.replace(SEPARATORS, (run, offset: number) =>
    FORMULA_SIGN.test(text.charAt(offset + run.length)) ? `${run}'` : run);

  return FORMULA.test(escaped) ? `'${escaped}` : escaped;
}

/**
 * CSV as spreadsheets read it safely (RFC 4180). A cell that begins like a formula would be run; a
 * line break of a message that isn't quoted would begin a row, and its second line a cell.
 */
export const spreadsheetCsv: Options = {
  cast: { string: escapeFormulas },
  record_delimiter: 'windows',
  quoted_match: /[\r\n\t;]/,
};
