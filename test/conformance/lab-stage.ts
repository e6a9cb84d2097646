/** A stage whose server is in this process. */

import { openLab } from '../adapters/kit.js';
import { answer, garbage, type Lab, onCue, type Play, refusedOrigin, rst, silence } from '../faults/lab.js';
import type { Scenario } from './scenario.js';
import { type Script, Stage } from './stage.js';

export class LabStage extends Stage {
  readonly #lab: Lab;
  readonly #closedPort: number;

  private constructor(scenario: Scenario, lab: Lab, closedPort: number) {
    super(scenario, (name) => lab.cue(name));
    this.#lab = lab;
    this.#closedPort = closedPort;
    lab.play(({ number, headers }) => {
      const cue = `answer ${number}`;
      return onCue(cue, playOf(this.arrive(cue, headers)));
    });
  }

  static async open(scenario: Scenario): Promise<LabStage> {
    const lab = await openLab([]);
    return new LabStage(scenario, lab, Number(new URL(await refusedOrigin()).port));
  }

  /** The local port for the next attempt's connection, whatever its URL says. */
  takePort(): number {
    return this.depart().answer === 'refused' ? this.#closedPort : this.#lab.port;
  }
}

export function playOf({ answer: what, headers, body = '' }: Script): Play {
  if (what === 'silence') return silence();
  if (typeof what === 'number') return answer(what, body, headers);
  return what === 'garbage' ? garbage() : rst();
}
