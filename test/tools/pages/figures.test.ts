import { describe, expect, test } from 'vitest';
import { specsByFigure } from '../../../src/tools/pages/browser/figures.js';
import type { ChartSpec } from '../../../src/tools/pages/browser/plot.js';
import type { Report } from '../../../src/tools/pages/report.js';
import { scenarios } from '../../../src/tools/sim/internal.js';
import { reportOf, smallOutage } from './runs.js';

function chartsOf(report: Report): readonly ChartSpec[] {
  return specsByFigure(report, new Set());
}

describe('the response time of a server that has wedged', () => {
  const outage = scenarios.find(({ name }) => name === 'seed-outage') ?? smallOutage;
  const report = reportOf(outage, [{ name: 'fixed-for-ever' }, { name: 'default' }]);
  const chart = chartsOf(report).find(({ title }) => title === 'Response time of the server');
  const run = outage.world.durationMs;

  test('would be thousands of years, and is said to be longer than the run', () => {
    const [wedged] = report.entries;
    expect(Math.max(...(wedged?.run.services[0]?.delayMs ?? []))).toBeGreaterThan(1e12);
    const shown = chart?.lines.flatMap(({ values }) => values) ?? [];
    expect(Math.max(...shown)).toBe(run);
    expect(chart?.text(run)).toBe('over 100 s');
    expect(chart?.ticks?.map((ms) => chart.text(ms))).toEqual([
      '0 ms',
      '10 ms',
      '100 ms',
      '1 s',
      '10 s',
      'over 100 s',
    ]);
  });
});

test('lines that coincide are named on their chart, and hidden ones are not', () => {
  const report = reportOf(smallOutage, [{ name: 'default' }, { name: 'same', policy: {} }]);
  const [succeeded] = chartsOf(report);
  expect(succeeded?.note).toBe('Same line: default, same.');
  expect(specsByFigure(report, new Set(['same']))[0]?.note).toBeUndefined();
});

test('a surge is shaded where there is no fault', () => {
  const surge = scenarios.find(({ name }) => name === 'surge') ?? smallOutage;
  const [chart] = chartsOf(reportOf(surge, [{ name: 'none' }]));
  expect(chart?.shades).toEqual([{ fromMs: 20_000, forMs: 5_000 }]);
});

describe('where the times of requests decide', () => {
  const { world, ...tail } = scenarios.find(({ name }) => name === 'slow-tail') ?? smallOutage;
  const short = { ...tail, world: { ...world, durationMs: 90_000 } };
  const charts = chartsOf(reportOf(short, [{ name: 'none' }, { name: 'service-hedge' }]));

  test('the slowest requests have the first chart', () => {
    const [slowest] = charts;
    expect(slowest?.title).toBe('Slowest success');
    const [none = 0, hedged = 0] =
      slowest?.lines.map(({ values }) => Math.max(...values.slice((world.warmUpMs ?? 0) / 1_000))) ?? [];
    // Nothing waits for an answer that takes seconds.
    expect(none).toBeGreaterThan(1_500);
    expect(hedged).toBeLessThan(500);
  });

  test('and elsewhere they have none', () => {
    const titles = chartsOf(reportOf(smallOutage, [{ name: 'none' }])).map(({ title }) => title);
    expect(titles).not.toContain('Slowest success');
  });
});
