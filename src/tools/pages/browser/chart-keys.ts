/** What can be done with a chart by keys. */

import type { TimeView } from './time-view.js';

export const chartKeys: string =
  'With the keyboard: left and right read second by second (with Shift, by ten), + and - zoom, 0 shows all.';

/** Whether the key was one of ours. */
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
