import type { Options } from 'csv-stringify';

/**
 * CSV as spreadsheets read it safely (RFC 4180). A cell that begins like a formula would be run; a
 * line break of a message that isn't quoted would begin a row, and its second line a cell.
 */
export const spreadsheetCsv: Options = {
  escape_formulas: true,
  record_delimiter: 'windows',
  quoted_match: /[\r\n]/,
};
