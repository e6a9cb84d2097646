/** The policy as JSON, to read, edit and copy, and the problems it has. */

import type { PolicyOptions, Problem } from '../../../../index.js';
import { checkPolicy, problemText } from '../../../../internal.js';
import { readJsonText } from '../../json-text.js';
import { copyButton } from '../copy-button.js';
import { element, newId } from '../element.js';

interface PolicyText {
  readonly root: HTMLElement;
  readonly copy: HTMLButtonElement;
  /** True if the policy can be used. */
  show(policy: PolicyOptions): boolean;
}

interface PolicyTextEvents {
  /** The text has changed, and is a policy that can be used. */
  edited(policy: PolicyOptions): void;
  /** Whether the text is a policy that can be used. */
  judged(isSound: boolean): void;
  announce(text: string): void;
}

export function policyText({ edited, judged, announce }: PolicyTextEvents): PolicyText {
  const id = newId();
  const problemsId = newId();
  const text = element('textarea', {
    id,
    spellcheck: 'false',
    autocomplete: 'off',
    rows: 8,
    'aria-describedby': problemsId,
  });
  const problems = element('ul', { id: problemsId, class: 'problems' });
  const copy = copyButton('Copy policy', text, announce);
  const judge = (found: readonly (Problem | string)[]): boolean => {
    problems.replaceChildren(...found.map(problemItem));
    text.ariaInvalid = String(found.length > 0);
    copy.disabled = found.length > 0;
    judged(found.length === 0);
    text.rows = Math.max(4, Math.min(24, text.value.split('\n').length));
    return found.length === 0;
  };
  text.addEventListener('input', () => {
    const { policy, found } = read(text.value);
    if (judge(found)) edited(policy as PolicyOptions);
  });
  const show = (policy: PolicyOptions): boolean => {
    text.value = JSON.stringify(policy, null, 2);
    return judge(checkPolicy(policy));
  };
  const label = element('label', { for: id }, 'Policy as JSON. Edit it to use settings that have no slider.');
  return {
    root: element('div', {}, label, text, element('div', { role: 'status' }, problems)),
    copy,
    show,
  };
}

function read(text: string): { policy: unknown; found: readonly (Problem | string)[] } {
  const reading = readJsonText(text);
  if (reading.kind === 'read') {
    const { value, twice } = reading;
    return { policy: value, found: [...twice, ...checkPolicy(value)] };
  }
  const { line, column, expected } = reading;
  return { policy: undefined, found: [`This is not JSON: line ${line}, column ${column}: ${expected}.`] };
}

function problemItem(problem: Problem | string): HTMLElement {
  if (typeof problem === 'string') return element('li', {}, problem);
  return element('li', {}, element('code', {}, problem.path || 'the policy'), `: ${problemText(problem)}`);
}
