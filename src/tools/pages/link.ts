/**
 * A link into the lab: policy, scenario, comparison and seed as the part of an address after its `#`. Links may
 * come from anyone, so every part is checked, and a link with a fault is not used at all.
 */

import type { PolicyOptions } from '../../index.js';
import { checkPolicy, problemText } from '../../internal.js';

/** What the lab shows. */
export interface LabState {
  readonly policy: PolicyOptions;
  /** The name of a scenario. */
  readonly scenario: string;
  /** The name of the policy that is compared with. */
  readonly against: string;
  readonly seed: number;
}

/** The names that a page knows. */
export interface KnownNames {
  readonly scenarios: readonly string[];
  readonly policies: readonly string[];
}

type ReadLink =
  /** Parts that the link leaves out are missing. */
  | { readonly kind: 'state'; readonly state: Partial<LabState> }
  /** Why the link cannot be used, as the end of a sentence about it. */
  | { readonly kind: 'broken'; readonly fault: string }
  /** The address has no link in it. */
  | { readonly kind: 'none' };

/** Changes when old pages cannot read new links, or new pages old links. */
const version = '1';

/** Mail and chat programs cut off longer addresses. */
export const mostCharacters = 8_000;

export const largestSeed = 4_294_967_295;

const parts = ['lab', 'scenario', 'against', 'seed', 'policy'] as const;

/** Without the `#`. Undefined: the policy is too long for a link. */
export function writeLink({ policy, scenario, against, seed }: LabState): string | undefined {
  const link = new URLSearchParams({
    lab: version,
    scenario,
    against,
    seed: String(seed),
    policy: JSON.stringify(policy),
  }).toString();
  return link.length > mostCharacters ? undefined : link;
}

/** `fragment`: the part of an address after the `#`, with the `#` or without it. */
export function readLink(fragment: string, known: KnownNames): ReadLink {
  const text = fragment.replace(/^#/, '');
  if (text === '' || text === 'lab') return { kind: 'none' };
  try {
    return { kind: 'state', state: stateIn(text, known) };
  } catch (error) {
    if (error instanceof BrokenLink) return { kind: 'broken', fault: error.message };
    throw error;
  }
}

class BrokenLink extends Error {}

function stateIn(text: string, known: KnownNames): Partial<LabState> {
  if (text.length > mostCharacters) {
    const most = mostCharacters.toLocaleString('en');
    throw new BrokenLink(`it has ${text.length.toLocaleString('en')} characters; at most ${most} are read`);
  }
  const written = new URLSearchParams(text);
  const made = written.get('lab');
  if (made === null) throw new BrokenLink('it does not begin with "lab="');
  if (made !== version) {
    throw new BrokenLink(`it has the version ${quoted(made)}, and this page reads version "${version}"`);
  }
  checkParts(written);
  const scenario = nameIn(written.get('scenario'), 'scenario', known.scenarios);
  const against = nameIn(written.get('against'), 'policy', known.policies);
  const seed = seedIn(written.get('seed'));
  const policy = policyIn(written.get('policy'));
  return {
    ...(scenario !== undefined && { scenario }),
    ...(against !== undefined && { against }),
    ...(seed !== undefined && { seed }),
    ...(policy !== undefined && { policy }),
  };
}

function checkParts(written: URLSearchParams): void {
  for (const name of new Set(written.keys())) {
    if (!parts.some((part) => part === name)) throw new BrokenLink(`it has an unknown part, ${quoted(name)}`);
    if (written.getAll(name).length > 1) throw new BrokenLink(`it has "${name}" twice`);
  }
}

function nameIn(name: string | null, what: string, known: readonly string[]): string | undefined {
  if (name === null || known.includes(name)) return name ?? undefined;
  throw new BrokenLink(`it names the ${what} ${quoted(name)}, which this page does not have`);
}

function seedIn(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seed = Number(text);
  if (/^\d{1,10}$/.test(text) && seed <= largestSeed) return seed;
  throw new BrokenLink(`its seed is ${quoted(text)}, not a whole number from 0 to ${largestSeed}`);
}

function policyIn(json: string | null): PolicyOptions | undefined {
  if (json === null) return undefined;
  const policy = parsed(json);
  const [problem] = checkPolicy(policy);
  if (problem === undefined) return policy as PolicyOptions;
  const { path, found, allowed } = problem;
  const what = problemText({ path, found, allowed });
  throw new BrokenLink(`its policy has a problem at ${path || 'the top'}: ${what}`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new BrokenLink('its policy is not JSON, as if the end of the link were missing');
  }
}

/** Cut off: enough of it to recognize it. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
