/** The tabs of the page, as the ARIA Authoring Practices have them: arrows move, and the address remembers. */

import { element } from './element.js';

export interface Tab {
  /** Also in the address: `#lab`. */
  readonly name: string;
  readonly title: string;
  readonly content: HTMLElement;
  /** When it is seen for the first time. */
  readonly opened?: () => void;
}

export function tabs(label: string, all: readonly Tab[]): HTMLElement {
  const opened = new Set<string>();
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
    const tab = all[chosen];
    if (tab === undefined || opened.has(tab.name)) return;
    opened.add(tab.name);
    tab.opened?.();
  };
  const choose = (chosen: number): void => {
    open(chosen);
    buttons[chosen]?.focus();
    history.replaceState(null, '', `#${all[chosen]?.name}`);
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
  const inAddress = (): number =>
    Math.max(
      0,
      all.findIndex(({ name }) => location.hash === `#${name}`),
    );
  addEventListener('hashchange', () => open(inAddress()));
  open(inAddress());
  return element('div', {}, element('div', { role: 'tablist', 'aria-label': label }, ...buttons), ...panels);
}

function movedTo(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
