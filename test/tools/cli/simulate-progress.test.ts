import { expect, test } from 'vitest';
import { Printer } from '../../../src/tools/cli/printer.js';
import { Progress } from '../../../src/tools/cli/progress.js';

/** A bar on a terminal or not, with a clock that stands where it is put. */
function bar(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  const clock = { now: 0 };
  const printer = new Printer({ write: (text) => written.push(text), isTTY, columns }, {});
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
  progress.clear();
  expect(written.at(-1)).toBe('\r\u001b[K');
});

test('leaves nothing behind where nothing took long', () => {
  const { written, progress } = bar(true);
  progress.show(0.5, 'default');
  progress.clear();
  expect(written).toEqual([]);
});

test('is silent in a pipe', () => {
  const { written, clock, progress } = bar(false);
  expect(progress.isOn).toBe(false);
  clock.now = 60_000;
  progress.show(0.5, 'default');
  progress.clear();
  expect(written).toEqual([]);
});

test('is never longer than the line, which could not be cleared then', () => {
  const { written, clock, progress } = bar(true, 27);
  clock.now = 1_000;
  progress.show(0.5, 'default');
  expect(written).toEqual(['\r\u001b[K############............ 5']);
});

test('goes away for a line that is printed, and comes back', () => {
  const { written, clock, progress } = bar(true);
  clock.now = 1_000;
  progress.show(0.5, 'default');
  progress.clear();
  progress.clear();
  clock.now = 1_100;
  progress.show(0.5, 'default');
  expect(written.map((text) => text === '\r\u001b[K')).toEqual([false, true, false]);
});
