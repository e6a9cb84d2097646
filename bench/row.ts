/** The results of a benchmark: as data for programs, and as the lines of a table for people. */

export interface Row {
  readonly name: string;
  /** Missing if nothing could be measured; the note says why. */
  readonly value?: number;
  readonly unit?: string;
  readonly ratio?: Ratio;
  /** The upper limit of the ratio, or of the value if there is no ratio. */
  readonly atMost?: number;
  readonly note?: string;
}

/** The ratio is taken in each round; this is the median of the rounds, with the quartiles. */
export interface Ratio {
  /** The peer, in the same round. */
  readonly to: string;
  readonly median: number;
  readonly from: number;
  readonly until: number;
  readonly rounds: number;
}

const columns = ['', 'value', 'ratio', 'half of the rounds', ''] as const;

export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(cellsOf);
  // Columns that no row uses are left out.
  const shown = columns
    .map((_, column) => column)
    .filter((column) => cells.some((line) => line[column] !== ''));
  const lines = [columns, ...cells].map((line) => shown.map((column) => line[column] ?? ''));
  const widths = shown.map((_, place) => Math.max(...lines.map((line) => line[place]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, place) => aligned(cell, widths[place] ?? 0, shown[place])).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Numbers are aligned to the right, words to the left. */
function aligned(cell: string, width: number, column: number | undefined): string {
  return column === 0 || column === columns.length - 1 ? cell.padEnd(width) : cell.padStart(width);
}

function cellsOf({ name, value, unit = '', ratio, atMost, note }: Row): readonly string[] {
  const remarks = [
    ratio === undefined ? undefined : `of ${ratio.to}, ${ratio.rounds} rounds`,
    atMost === undefined ? undefined : judged(ratio, value, atMost),
    note,
  ];
  return [
    `  ${name}`,
    value === undefined ? '' : `${numeral(value)} ${unit}`,
    ratio === undefined ? '' : `${ratio.median.toFixed(3)}x`,
    ratio === undefined ? '' : `${ratio.from.toFixed(3)} to ${ratio.until.toFixed(3)}`,
    remarks.filter((remark) => remark !== undefined).join('; '),
  ];
}

function judged(ratio: Ratio | undefined, value: number | undefined, atMost: number): string {
  const found = ratio?.median ?? value ?? Number.NaN;
  const bound = `at most ${numeral(atMost)}${ratio === undefined ? '' : 'x'}`;
  return found <= atMost ? `${bound}: yes` : `${bound}: NO`;
}

/** A measurement has three significant digits at most. */
function numeral(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
