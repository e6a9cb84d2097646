/** The tabs of the page, as in the ARIA Authoring Practices: arrow keys move, and the address names the open one. */

import { element } from './element.js';

export interface Tab {
  /** The first word after the `#` of the address. */
  readonly name: string;
  readonly title: string;
  readonly content: HTMLElement;
  /** What the address has after its `#` when the tab is chosen. */
  fragment(): string;
  /** Called when the tab is shown, and when the address changes while it is shown. */
  shown(): void;
}

export function tabs(label: string, all: readonly Tab[]): HTMLElement {
  const buttons = all.map(({ name, title }) =>
    element(
      'button',
      { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}` },
      title,
    ),
  );
  const panels = all.map(({ name, content }) =>
    element('div', { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}` }, content),
  );
  const open = (chosen: number): void => {
    for (const [index, button] of buttons.entries()) {
      button.ariaSelected = String(index === chosen);
      button.tabIndex = index === chosen ? 0 : -1;
    }
    for (const [index, panel] of panels.entries()) panel.hidden = index !== chosen;
    all[chosen]?.shown();
  };
  const choose = (chosen: number): void => {
    history.replaceState(null, '', `#${all[chosen]?.fragment()}`);
    open(chosen);
    buttons[chosen]?.focus();
  };
  for (const [index, button] of buttons.entries()) {
    button.addEventListener('click', () => choose(index));
    button.addEventListener('keydown', (event) => {
      const next = movedTo(event.key, index, all.length);
      if (next === undefined) return;
      event.preventDefault();
      choose(next);
    });
  }
  const openByAddress = (): void => {
    const [word] = /\w+/.exec(location.hash) ?? [];
    const named = all.findIndex(({ name }) => name === word);
    open(Math.max(0, named));
  };
  addEventListener('hashchange', openByAddress);
  openByAddress();
  return element('div', {}, element('div', { role: 'tablist', 'aria-label': label }, ...buttons), ...panels);
}

function movedTo(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
