/** The line above the results: what the run is doing, how far it is, and buttons to cancel it and to run it again. */

import { element } from '../element.js';

export interface RunState {
  readonly root: HTMLElement;
  start(): void;
  /** `share` of all runs is done: 0 to 1. */
  progress(share: number): void;
  finish(text: string): void;
  /** The run has ended without results. */
  fail(text: string): void;
}

interface RunStateEvents {
  cancel(): void;
  again(): void;
}

/** A shorter run shows no progress: a bar would only flicker. */
const patienceMs = 500;

export function runState({ cancel, again }: RunStateEvents): RunState {
  const text = element('p', { role: 'status' });
  const bar = element('progress', { max: 1, 'aria-label': 'Progress of the run' });
  const stop = element('button', { type: 'button' }, 'Cancel');
  const restart = element('button', { type: 'button' }, 'Run again');
  const heading = element('h2', { class: 'title' }, 'What happens');
  let slow: ReturnType<typeof setTimeout> | undefined;

  const tell = (words: string, share?: number): void => {
    clearTimeout(slow);
    if (text.textContent !== words) text.textContent = words;
    bar.hidden = share === undefined;
    bar.value = share ?? 0;
    stop.hidden = share === undefined;
    restart.hidden = true;
  };
  const progress = (share: number): void => tell('Running…', share);
  const fail = (words: string): void => {
    tell(words);
    restart.hidden = false;
  };
  stop.addEventListener('click', () => {
    cancel();
    fail('Cancelled.');
    restart.focus();
  });
  restart.addEventListener('click', again);
  return {
    root: element('div', { class: 'state' }, heading, text, bar, stop, restart),
    start: () => {
      tell('Running…');
      // A run that is stuck reports no progress, and still has to be cancelled.
      slow = setTimeout(() => progress(0), patienceMs);
    },
    progress,
    finish: tell,
    fail,
  };
}
