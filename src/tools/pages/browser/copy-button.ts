/** Copies a text, also where a page from a file may not use the clipboard by itself. */

import { element } from './element.js';

export function copyButton(
  label: string,
  source: HTMLElement,
  announce: (text: string) => void,
): HTMLButtonElement {
  const button = element('button', { type: 'button' }, label);
  button.addEventListener('click', async () => {
    const text = source instanceof HTMLTextAreaElement ? source.value : (source.textContent ?? '');
    const isCopied = await copied(text);
    if (!isCopied) select(source);
    announce(isCopied ? 'Copied.' : 'Not allowed to copy: the text is selected, copy it with Ctrl+C.');
  });
  return button;
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function select(source: HTMLElement): void {
  if (source instanceof HTMLTextAreaElement) source.select();
  else getSelection()?.selectAllChildren(source);
}
