/** Explores every state that a machine can reach in a given number of steps, each once, the nearest first. */

/** Added to the number of steps of a plan. One step less is quicker, and still finds every planted fault. */
export const moreSteps: number = Number(process.env['MODEL_STEPS'] ?? 0);

export interface Machine<S> {
  readonly initial: S;
  /** Two states with the same key have the same future. */
  key(state: S): string;
  /** What may happen next: each step in words, and the state after it. */
  steps(state: S): Iterable<readonly [what: string, next: S]>;
  /** What is wrong with the state, in words. */
  faultIn(state: S): string | undefined;
}

export interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** The shortest path to the first fault that was found. */
  readonly fault: { readonly what: string; readonly path: readonly string[] } | undefined;
}

interface Visit<S> {
  readonly state: S;
  readonly what: string;
  readonly from: Visit<S> | undefined;
}

export function explore<S>(machine: Machine<S>, depth: number): Exploration {
  const seen = new Set([machine.key(machine.initial)]);
  let border: Visit<S>[] = [{ state: machine.initial, what: '', from: undefined }];
  let steps = 0;
  for (let distance = 0; border.length > 0; distance += 1) {
    const next: Visit<S>[] = [];
    for (const visit of border) {
      const what = machine.faultIn(visit.state);
      if (what !== undefined) return { states: seen.size, steps, fault: { what, path: pathTo(visit) } };
      if (distance === depth) continue;
      for (const [step, state] of machine.steps(visit.state)) {
        steps += 1;
        const key = machine.key(state);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push({ state, what: step, from: visit });
      }
    }
    border = next;
  }
  return { states: seen.size, steps, fault: undefined };
}

function pathTo<S>({ what, from }: Visit<S>): readonly string[] {
  return from === undefined ? [] : [...pathTo(from), what];
}
