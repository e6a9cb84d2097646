import { expect, test } from 'vitest';
import { headlineText } from '../../../src/tools/pages/browser/verdict-list.js';
import { verdictOn } from '../../../src/tools/sim/internal.js';
import { reportOf, smallOutage } from './runs.js';

const { policies } = verdictOn(reportOf(smallOutage, [{ name: 'default' }]));

test.each([
  ['the server recovers with every policy', 'The server recovers with every policy.'],
  ['default loses the fewest requests', 'default loses the fewest requests.'],
])('the headline "%s" is shown as "%s"', (headline, text) => {
  expect(headlineText({ headline, policies })).toBe(text);
});
