/** A skip needs a reason, and a case that exists. */

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { complaintsOf } from './skips.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

test('a skip needs a reason, and a case that exists', () => {
  const titles = ['keys > a', 'keys > b', 'keys > c'];
  const skips = { 'keys > a': 'it cannot', 'keys > b': ' ', 'keys > gone': 'it cannot', 'times > x': '' };
  expect(complaintsOf('keys', titles, skips)).toEqual([
    "'keys > b' is skipped without a reason.",
    "'keys > gone' is skipped, but there is no such case.",
  ]);
});

test('every skip of this adapter names a suite that exists', () => {
  const suites = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts'));
  const themes = Object.keys(subject.skips).map((title) => `${title.split(' > ')[0]}.test.ts`);
  expect(suites).toEqual(expect.arrayContaining(themes));
});
