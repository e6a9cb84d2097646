import { expect, test } from 'vitest';
import { Printer } from '../../../src/tools/cli/printer.js';
import { Progress } from '../../../src/tools/cli/progress.js';

/** A bar on a terminal or not, with a clock that stands where it is put. */
function bar(isTTY: boolean) {
  const written: string[] = [];
  const clock = { now: 0 };
  const printer = new Printer({ write: (text) => written.push(text), isTTY }, {});
  return { written, clock, progress: new Progress(printer, () => clock.now) };
}

test('appears after a second, is drawn ten times a second, and goes away', () => {
  const { written, clock, progress } = bar(true);
  progress.show(0.1, 'default');
  expect(written).toEqual([]);
  clock.now = 1_000;
  progress.show(0.5, 'default');
  expect(written).toEqual(['\r\u001b[K############............ 50 %  default']);
  clock.now = 1_050;
  progress.show(0.6, 'default');
  expect(written.length).toBe(1);
  progress.end();
  expect(written.at(-1)).toBe('\r\u001b[K');
});

test('leaves nothing behind where nothing took long', () => {
  const { written, progress } = bar(true);
  progress.show(0.5, 'default');
  progress.end();
  expect(written).toEqual([]);
});

test('is silent in a pipe', () => {
  const { written, clock, progress } = bar(false);
  expect(progress.isOn).toBe(false);
  clock.now = 60_000;
  progress.show(0.5, 'default');
  progress.end();
  expect(written).toEqual([]);
});
