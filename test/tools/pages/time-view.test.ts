import { describe, expect, test } from 'vitest';
import { TimeView } from '../../../src/tools/pages/browser/time-view.js';

describe('zooming', () => {
  test('stays within the run, and never shrinks to nothing', () => {
    const view = new TimeView(100);
    view.zoom({ from: -20, to: 500 });
    expect(view.range).toEqual({ from: 0, to: 99 });
    view.zoom({ from: 40.4, to: 40.2 });
    expect(view.range).toEqual({ from: 40, to: 41 });
    view.zoom({ from: 99, to: 99 });
    expect(view.range).toEqual({ from: 98, to: 99 });
  });

  test('by steps keeps what is pointed at where it is', () => {
    const view = new TimeView(101);
    view.point(20);
    view.zoomBy(0.5);
    expect(view.range).toEqual({ from: 10, to: 60 });
    view.zoomBy(2);
    expect(view.range).toEqual({ from: 0, to: 100 });
  });

  test('goes around the middle where nothing is pointed at', () => {
    const view = new TimeView(101);
    view.zoomBy(0.5);
    expect(view.range).toEqual({ from: 25, to: 75 });
  });
});

describe('pointing', () => {
  test('begins at the end from which it comes, and stops at the other', () => {
    const view = new TimeView(10);
    view.zoom({ from: 2, to: 5 });
    view.step(1);
    expect(view.second).toBe(2);
    view.step(10);
    expect(view.second).toBe(5);
    view.point(undefined);
    view.step(-1);
    expect(view.second).toBe(5);
  });

  test('tells its listeners, once for each change', () => {
    const view = new TimeView(10);
    let told = 0;
    const stop = view.listen(() => {
      told += 1;
    });
    view.point(3);
    view.point(3);
    view.zoom(view.whole);
    expect(told).toBe(1);
    stop();
    view.point(4);
    expect(told).toBe(1);
  });
});

test('another run begins from the whole, the same one goes on', () => {
  const view = new TimeView(100);
  view.zoom({ from: 10, to: 20 });
  view.restart(100);
  expect(view.range).toEqual({ from: 10, to: 20 });
  view.restart(50);
  expect(view.range).toEqual({ from: 0, to: 49 });
});
