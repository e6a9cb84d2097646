import { expect, test } from 'vitest';
import type { Report } from '../../../src/tools/pages/report.js';
import { dataPlace, fillTemplate, inScript } from '../../../src/tools/pages/template.js';
import { reportOf, smallOutage } from './runs.js';

const nasty = '</script><!--<script>\u2028\u2029$&';

test('nothing in the data ends the script that they are in', () => {
  const text = inScript({ title: nasty });
  expect(text).not.toMatch(/[<\u2028\u2029]/);
  expect(JSON.parse(text)).toEqual({ title: nasty });
});

test('the data are put where they belong, whatever is in them', () => {
  const report: Report = { ...reportOf(smallOutage, []), scenario: { ...smallOutage, title: nasty } };
  const page = fillTemplate(`<body>${dataPlace}</body>`, report);
  const [, json = ''] =
    /^<body><script type="application\/json" id="report">(.*)<\/script><\/body>$/s.exec(page) ?? [];
  expect(JSON.parse(json)).toEqual(report);
});

test('a page without the place for data is refused', () => {
  expect(() => fillTemplate('<body></body>', reportOf(smallOutage, []))).toThrow(
    'build or install undaunted again',
  );
});
