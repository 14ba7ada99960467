import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spreadsheetCsv } from './spreadsheet-csv.ts';

const formatRow = (...cells: string[]) => stringify([cells], spreadsheetCsv);

/** Splits a row like a spreadsheet that ignores quotes and uses separators other than commas. */
const splitElsewhere = (row: string) =>
  row.split(/[;\t\r\n]/).map((cell) => cell.replace(/^["\s]+/, ''));

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
const formula = (sign: string) => `${sign}1+cmd|' /C calc'!A0`;

describe('a CSV cell', () => {
  test.each(signs)('that begins with %s gets an apostrophe', (sign) => {
    expect(formatRow('id', formula(sign))).toContain(`,'${sign}`);
  });

  test.each(['\t', '\r', '\n'])('that begins with %j gets an apostrophe', (sign) => {
    expect(formatRow('id', `${sign}=1`)).toContain(`,"'${sign}'=1"`);
  });

  test.each(signs)('never begins with %s, even in a spreadsheet that splits at semicolons, tabs or line breaks', (sign) => {
    for (const before of ['a;', 'a\t', 'a\n', 'a;;', 'a; ', 'a;"', 'a;\t"  "', '"a;', ';']) {
      const cells = splitElsewhere(formatRow('id', `${before}${formula(sign)}`, 'end'));
      expect(cells.filter((cell) => signs.some((first) => cell.startsWith(first)))).toEqual([]);
    }
  });

  test('that is not a formula is unchanged', () => {
    const plain = ['Sweets & Sons', 'a-b', '1+1', 'me@example.org', "O'Hara", 'x = y', '2025-11-03T09:00:00Z'];

    expect(formatRow(...plain)).toBe(`${plain.join(',')}\r\n`);
    expect(formatRow('a; b', 'say "yes"', 'one\ntwo')).toBe('"a; b","say ""yes""","one\ntwo"\r\n');
  });
});

describe('a phone number', () => {
  test.each(['+1 555 0100', '+15550100', '+1 (555) 010-0100', '+44 (0)20 7946 0958', '+49 30 1234.567', '0151-23'])(
    'is unchanged: %s',
    (phone) => {
      expect(formatRow('id', phone)).toBe(`id,${phone}\r\n`);
    },
  );

  test.each([
    // Spreadsheets read these as sums, dates and fractions.
    ...['+1-555-0100', '+1 - 555 - 0100', '+1.5550100', '+12 345/678', '+49 30 12/34'],
    // Too short or too long.
    ...['+1', '+1 2 3', '+1234567890123456'],
    // With other characters.
    ...['-1 555 0100', '++1 555 0100', '+1 555 0100+1', "+1 555 0100+cmd|'/C calc'!A0", '+1 555 0100 ext'],
    ...['＋1 555 0100', '@1 555 0100', '=1 555 0100', '+(1) 555 0100', '+SUM(1 555 0100)'],
  ])('that isn’t written in a safe notation gets an apostrophe: %s', (text) => {
    expect(formatRow('id', text)).toBe(`id,'${text}\r\n`);
  });

  test('does not exempt the rest of its cell', () => {
    expect(formatRow('+1 555 0100;=1+1')).toBe('"\'+1 555 0100;\'=1+1"\r\n');
    expect(formatRow('+1 555 0100\n=1+1')).toBe('"\'+1 555 0100\n\'=1+1"\r\n');
  });
});

/** Parses one row according to RFC 4180. */
function parseRow(row: string): string[] {
  const cells = row.match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^",\r\n]*)(?=,|\r\n$)/g) ?? [];

  return cells.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

describe('for any cells', () => {
  const anyCell = fc
    .array(
      fc.oneof(
        fc.constantFrom(...signs, ';', ',', '\t', '\r', '\n', '"', "'", ' ', '1', 'a'),
        fc.string({ unit: 'binary', maxLength: 2 }),
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join(''));

  test('parsing returns the same cells, except for apostrophes before formulas', () => {
    fc.assert(
      fc.property(fc.array(anyCell, { minLength: 1, maxLength: 4 }), (cells) => {
        const parsed = parseRow(formatRow(...cells));
        const withoutApostrophes = (texts: readonly string[]) => texts.map((text) => text.replaceAll("'", ''));

        expect(withoutApostrophes(parsed)).toEqual(withoutApostrophes(cells));
      }),
      { numRuns: 1_000 },
    );
  });

  test('no cell begins like a formula, whatever the separator', () => {
    fc.assert(
      fc.property(anyCell, (cell) => {
        fc.pre(!/^\+\d/.test(cell));
        const row = formatRow('id', cell, 'end');
        for (const part of [...parseRow(row), ...splitElsewhere(row)]) {
          expect(signs.filter((sign) => part.trimStart().startsWith(sign))).toEqual([]);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
