/** The policy as JSON: to read, to change, to copy; and what is wrong with it. */

import type { PolicyOptions, Problem } from '../../../../index.js';
import { checkPolicy } from '../../../../internal.js';
import { copyButton } from '../copy-button.js';
import { element, newId } from '../element.js';

export interface PolicyText {
  readonly root: HTMLElement;
  /** Writes it down, and whether it can be used. */
  show(policy: PolicyOptions): boolean;
}

export function policyText(
  changed: (policy: PolicyOptions) => void,
  announce: (text: string) => void,
): PolicyText {
  const id = newId();
  const problemsId = newId();
  const text = element('textarea', {
    id,
    spellcheck: 'false',
    autocomplete: 'off',
    rows: 8,
    'aria-describedby': problemsId,
  });
  const problems = element('ul', { id: problemsId, class: 'problems', role: 'status' });
  const copy = copyButton('Copy the policy', text, announce);
  const judge = (found: readonly (Problem | string)[]): boolean => {
    problems.replaceChildren(...found.map(problemItem));
    text.ariaInvalid = String(found.length > 0);
    copy.disabled = found.length > 0;
    text.rows = Math.max(4, Math.min(24, text.value.split('\n').length));
    return found.length === 0;
  };
  text.addEventListener('input', () => {
    const { policy, found } = read(text.value);
    if (judge(found)) changed(policy as PolicyOptions);
  });
  const show = (policy: PolicyOptions): boolean => {
    // Whoever writes in it goes on writing.
    if (document.activeElement !== text) text.value = JSON.stringify(policy, null, 2);
    return judge(checkPolicy(policy));
  };
  const label = element('label', { for: id }, 'The policy as JSON. What no slider says can be written here.');
  return {
    root: element('div', {}, label, text, problems, copy),
    show,
  };
}

function read(text: string): { policy: unknown; found: readonly (Problem | string)[] } {
  try {
    const policy: unknown = JSON.parse(text);
    return { policy, found: checkPolicy(policy) };
  } catch (error) {
    return { policy: undefined, found: [`This is not JSON: ${(error as SyntaxError).message}`] };
  }
}

function problemItem(problem: Problem | string): HTMLElement {
  if (typeof problem === 'string') return element('li', {}, problem);
  const { path, found, allowed, advice } = problem;
  const end = advice === undefined ? '' : `. ${advice}`;
  return element(
    'li',
    {},
    element('code', {}, path || 'the policy'),
    `: found ${found}; allowed: ${allowed}${end}`,
  );
}
