import type { Options } from 'csv-stringify';

/** Start of a cell that spreadsheets run as a formula. Source: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^(?:["\s]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** Runs of separators, for spreadsheets that split at `;` or tabs. */
const SEPARATORS = /[;\t\r\n][";\s]*/gu;
const FORMULA_SIGN = /[=+\-@＝＋－＠]/u;

/** A phone number (E.164: a plus and five to fifteen digits) that no spreadsheet evaluates or reads as a date. */
const PHONE_NUMBER = /^(?=(?:\D*\d){5,15}\D*$)\+\d(?:[\d ()]*|(?=.*[\d)] [\d(])[\d ().-]*)$/u;

/** Puts an apostrophe before formulas, so that spreadsheets show them as text. */
function escapeFormulas(text: string): string {
  if (PHONE_NUMBER.test(text)) return text;
  const escaped = text.replace(SEPARATORS, (run, offset: number) =>
    FORMULA_SIGN.test(text.charAt(offset + run.length)) ? `${run}'` : run);

  return FORMULA.test(escaped) ? `'${escaped}` : escaped;
}

/** Options for CSV (RFC 4180) that is safe in spreadsheets: formulas are escaped, and line breaks are quoted. */
export const spreadsheetCsv: Options = {
  cast: { string: escapeFormulas },
  record_delimiter: 'windows',
  quoted_match: /[\r\n\t;]/,
};
