/** A comparison as text: who won and why first, then the figures that say so, then what was played. */

import { stripVTControlCharacters } from 'node:util';
import { describeScenario } from '../../pages/describe.js';
import type { HeadlineTable } from '../../pages/headline.js';
import { headlineLegend, headlineTable } from '../../pages/headline.js';
import { turnedAway } from '../../pages/remarks.js';
import type { Report } from '../../pages/report.js';
import type { TotalsCell, TotalsRow } from '../../pages/totals.js';
import { totalsRows } from '../../pages/totals.js';
import type { Judgement, Verdict } from '../../sim/internal.js';
import { verdictOn } from '../../sim/internal.js';
import type { Printer, Style } from '../printer.js';
import { table, wrap } from '../table.js';

export function printComparison(out: Printer, report: Report, isDetailed: boolean): void {
  const { scenario, seed } = report;
  const verdict = verdictOn(report);
  for (const line of wrap(`${scenario.title}: ${verdict.headline}.`, out.width))
    out.line(out.paint('bold', line));
  out.line();
  printEach(out, verdict);
  out.line();
  printHeadline(out, headlineTable(scenario, verdict), verdict);
  out.line();
  printWrapped(out, [...describeScenario(scenario), `Seed ${seed}: the same seed gives the same run.`]);
  if (isDetailed) printTotals(out, report);
}

const styles: Readonly<Record<Judgement, Style | undefined>> = { good: 'green', even: undefined, bad: 'red' };

function painted(out: Printer, text: string, judgement: Judgement | undefined): string {
  const style = judgement && styles[judgement];
  return style === undefined ? text : out.paint(style, text);
}

function printEach(out: Printer, { policies }: Verdict): void {
  const rows = policies.map(({ label, judgement, sentence }) => [
    painted(out, label, judgement),
    `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`,
  ]);
  for (const line of table([{}, {}], rows, out.width)) out.line(line);
}

function printHeadline(out: Printer, figures: HeadlineTable, { policies }: Verdict): void {
  const spares = [...new Set(figures.columns.map(({ spare }) => spare))].toSorted(
    (one, other) => other - one,
  );
  // Where there is not room for all columns, some are left out.
  const candidates = spares.map((most) => {
    const shown = figures.columns.map(({ spare }) => spare <= most);
    const of = (cells: readonly string[]): string[] => cells.filter((_, index) => shown[index]);
    const columns = of(figures.columns.map(({ group }) => group));
    const rows = figures.rows.map(({ label, cells }, index) => [
      painted(out, label, policies[index]?.judgement),
      ...of(cells),
    ]);
    return table(
      [{}, ...columns.map((title) => ({ title, align: 'right' as const }))],
      [['', ...of(figures.columns.map(({ title }) => title))], ...rows],
    );
  });
  const fitting = candidates.find((lines) => fits(lines, out)) ?? candidates.at(-1) ?? [];
  for (const line of fitting) out.line(line);
  printWrapped(out, [headlineLegend]);
}

// ---------------------------------------------------------------- all totals

function printTotals(out: Printer, { scenario, seed, entries }: Report): void {
  const rows = totalsRows({ scenario, entries });
  const names = entries.map(({ name }) => name);
  for (const line of totalsTables(names, rows, out)) out.line(line);
  const isAnyBest = rows.some(({ cells }) => cells.some(({ isBest }) => isBest));
  const legend = isAnyBest ? [`* the best of them, with seed ${seed}`] : [];
  const remarks = [...legend, ...turnedAway({ scenario, entries })];
  if (remarks.length > 0) out.line();
  printWrapped(out, remarks);
}

/** As many policies beside each other as there is room for; the others below. */
function totalsTables(names: readonly string[], rows: readonly TotalsRow[], out: Printer): string[] {
  const tableOf = (from: number, to: number): string[] => {
    const columns = names.slice(from, to).map((name) => ({ title: `${name}  `, align: 'right' as const }));
    const cells = rows.map((row) => [
      row.title,
      ...row.cells.slice(from, to).map((cell) => cellText(cell, out)),
    ]);
    return ['', ...table([{}, ...columns], cells)];
  };
  const lines: string[] = [];
  for (let from = 0, to = 1; from < names.length; from = to, to += 1) {
    while (to < names.length && fits(tableOf(from, to + 1), out)) to += 1;
    lines.push(...tableOf(from, to));
  }
  return lines;
}

function cellText({ text, isBest }: TotalsCell, out: Printer): string {
  return isBest ? out.paint('green', `${text} *`) : `${text}  `;
}

// ---------------------------------------------------------------- the width

function fits(lines: readonly string[], out: Printer): boolean {
  return lines.every((line) => stripVTControlCharacters(line).length <= out.width);
}

function printWrapped(out: Printer, sentences: readonly string[]): void {
  for (const line of sentences.flatMap((sentence) => wrap(sentence, out.width))) out.line(line);
}
