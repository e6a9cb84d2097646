/** A stage whose server is in this process. */

import { openLab } from '../adapters/kit.js';
import {
  answer,
  closeAfter,
  cutBody,
  garbage,
  type Lab,
  onCue,
  type Play,
  refusedOrigin,
  rst,
  silence,
} from '../faults/lab.js';
import type { Scenario } from './scenario.js';
import { isRefused, type Script, Stage } from './stage.js';

export class LabStage extends Stage {
  readonly #lab: Lab;
  readonly #closedPort: number;
  /** The next connection is that of the next hop of an attempt, and not that of another attempt. */
  #redirected: Script | undefined;

  private constructor(scenario: Scenario, lab: Lab, closedPort: number) {
    super(scenario, (name) => lab.cue(name));
    this.#lab = lab;
    this.#closedPort = closedPort;
    lab.play(({ number, headers, path }) => {
      const hop = nextHop(path);
      if (hop !== undefined) return playOf(hop);
      const cue = `answer ${number}`;
      const script = this.arrive(cue, headers);
      this.#redirected = script.redirect === undefined ? undefined : script;
      return onCue(cue, playOf(script));
    });
  }

  static async open(scenario: Scenario): Promise<LabStage> {
    const lab = await openLab([]);
    return new LabStage(scenario, lab, Number(new URL(await refusedOrigin()).port));
  }

  /** The local port for the next attempt's connection, whatever its URL says. */
  takePort(): number {
    const hop = this.#redirected;
    this.#redirected = undefined;
    const isClosed = hop === undefined ? isRefused(this.depart()) : hop.answer === 'refused';
    return isClosed ? this.#closedPort : this.#lab.port;
  }
}

/** Where a redirect leads: the address says what happens there. */
const nextPath = '/next?play=';

/** What the next hop of an attempt meets; undefined for the first. */
export function nextHop(path: string): Script | undefined {
  return path.startsWith(nextPath)
    ? (JSON.parse(decodeURIComponent(path.slice(nextPath.length))) as Script)
    : undefined;
}

/** `elsewhere`: where the next hop goes if it is refused. */
export function playOf({ answer: what, redirect, headers, body = '' }: Script, elsewhere?: string): Play {
  if (redirect !== undefined) {
    const next = `${nextPath}${encodeURIComponent(JSON.stringify({ answer: what, headers, body }))}`;
    const location = what === 'refused' ? (elsewhere ?? next) : next;
    return closeAfter(answer(redirect, '', { location }));
  }
  if (what === 'silence') return silence();
  if (typeof what === 'number') return answer(what, body, headers);
  if (what === 'cut') return cutBody(1_000, 500, 'fin', headers);
  return what === 'garbage' ? garbage() : rst();
}
