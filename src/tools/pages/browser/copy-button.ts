/** Copies a text. Where the browser does not allow that, as on some pages from a file, it selects the text instead. */

import { element } from './element.js';

export function copyButton(
  label: string,
  source: HTMLElement,
  announce: (text: string) => void,
): HTMLButtonElement {
  const button = element('button', { type: 'button' }, label);
  button.addEventListener('click', async () => {
    const text = source instanceof HTMLTextAreaElement ? source.value : (source.textContent ?? '');
    const isCopied = await copyText(text);
    if (!isCopied) select(source);
    announce(isCopied ? 'Copied.' : 'The browser did not allow copying. The text is selected: press Ctrl+C.');
  });
  return button;
}

/** False: the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
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
