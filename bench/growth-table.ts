import { writeTable, writeNumber } from './report.ts';

/** A figure today and grown, beside how much what it depends on grew. */
export interface GrowthRow {
  readonly what: string;
  readonly small: number;
  readonly big: number;
  /** How many times more there is of what it may grow with; 1: it must not grow. */
  readonly dataGrowsBy: number;
}

const writeRatio = (ratio: number) => (Number.isFinite(ratio) ? `×${writeNumber(ratio)}` : '–');

/** A table of figures, each with how it grew and how it may. */
export function writeGrowthTable(
  [small, big]: readonly [string, string],
  rows: readonly GrowthRow[],
): string {
  return writeTable(
    ['', small, big, 'grows by', 'data grows by'],
    rows.map((row) => [
      row.what,
      row.small,
      row.big,
      writeRatio(row.big / row.small),
      row.dataGrowsBy === 1 ? '–' : writeRatio(row.dataGrowsBy),
    ]),
  );
}
