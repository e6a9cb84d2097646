/** Small worlds, and what happened in them in a few words. */

import type {
  Clients,
  Contender,
  Fault,
  Run,
  ServerModel,
  Service,
  SimulatedWorld,
  Step,
} from '../../../src/tools/sim/index.js';
import { simulate } from '../../../src/tools/sim/index.js';

/** Asks at once. */
const single: Clients = { kind: 'closed', count: 1, thinkMs: 1e-6, timeoutMs: 1_000 };

export function worldOf(
  server: ServerModel,
  faults: readonly Fault[] = [],
  more: Partial<Service> = {},
): SimulatedWorld {
  return { durationMs: 20_000, services: [{ server, faults, ...more }] };
}

/** Every step of the first request, as `time word`; there the world ends. */
export function story(world: SimulatedWorld, policy: Contender = { retry: false }): string[] {
  const lines: string[] = [];
  const end = new Error('The request is over');
  let first: unknown;
  try {
    simulate(world, single, policy, {
      seed: 1,
      trace: (now, exchange, step) => {
        first ??= exchange;
        if (exchange !== first) return;
        lines.push(`${Math.round(now - exchange.startedAt)} ${wordFor(step)}`);
        if (step === 'good' || step === 'failed' || step === 'refused') throw end;
      },
    });
  } catch (error) {
    if (error !== end) throw error;
  }
  return lines;
}

/** Every step of every request of a world, as one text. */
export function chronicle(
  world: SimulatedWorld,
  clients: Clients,
  policy: Contender,
  seed: number,
): { run: Run; text: string } {
  const lines: string[] = [];
  const run = simulate(world, clients, policy, {
    seed,
    trace: (now, { by }, step) => lines.push(`${now} ${by} ${wordFor(step)}`),
  });
  return { run, text: lines.join('\n') };
}

function wordFor(step: Step): string {
  if (typeof step === 'string') return step;
  if (step.kind === 'response') return String(step.status);
  return (step.error as { readonly code: string }).code;
}
