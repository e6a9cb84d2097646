/** The keys of a chart. */

import type { TimeView } from './time-view.js';

export const chartKeys: string =
  'Keys: left and right move by a second (with Shift by ten), + and - zoom, 0 shows everything.';

/** True if the key did something. */
export function steer(view: TimeView, { key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  if (ctrlKey || altKey || metaKey) return false;
  const stride = shiftKey ? 10 : 1;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: () => view.step(stride),
    ArrowLeft: () => view.step(-stride),
    Home: () => view.point(view.range.from),
    End: () => view.point(view.range.to),
    '+': () => view.zoomBy(0.5),
    '-': () => view.zoomBy(2),
    '0': () => view.zoom(view.whole),
    Escape: () => view.point(undefined),
  };
  const act = Object.hasOwn(keys, key) ? keys[key] : undefined;
  act?.();
  return act !== undefined;
}
