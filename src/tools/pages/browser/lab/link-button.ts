/** Copies a link to what the lab shows. */

import { mostCharacters } from '../../link.js';
import { copyText } from '../copy-button.js';
import { element } from '../element.js';

/** `link`: what follows the `#`; undefined where the policy is too long for a link. */
export function linkButton(
  link: () => string | undefined,
  announce: (text: string) => void,
): HTMLButtonElement {
  const button = element('button', { type: 'button' }, 'Copy link');
  button.addEventListener('click', async () => announce(await copied(link())));
  return button;
}

async function copied(link: string | undefined): Promise<string> {
  if (link === undefined) {
    const most = mostCharacters.toLocaleString('en');
    return `The policy is too long for a link of ${most} characters. Copy the policy instead.`;
  }
  const [page = ''] = location.href.split('#');
  const isCopied = await copyText(`${page}#${link}`);
  return isCopied
    ? 'Link copied.'
    : 'The browser did not allow copying. Copy the address of this page instead.';
}
