/** What must never be so in any state of a scope, and what a failure says. */

import type { GateState } from '../../src/core/limits/gate/state.js';
import { noEpoch } from '../../src/core/limits/gate/state.js';
import { timeOf } from '../../src/core/limits/hold/queue.js';
import type { LiveSession } from '../../src/kernel/live-session.js';
import { refusedOfTen } from './burst.js';
import type { Exploration } from './explore.js';
import { type Plan, permitOf, type ScopeMachine, type State } from './scope-machine.js';

/**
 * After all requests have left or been answered and half a minute has passed, ten requests at once must not be refused.
 */
export function doesNotComeBack(machine: ScopeMachine, state: State): string | undefined {
  const answered = machine.settle(state).slots.reduce<State>((at, { phase }, index) => {
    return phase === 'sent' ? machine.end(at, index, 'succeeds') : at;
  }, machine.settle(state));
  const quiet = machine.settle({ ...answered, now: answered.now + 30_000 });
  machine.restoreScope(quiet);
  const refused = refusedOfTen(machine, quiet);
  return refused === 0 ? undefined : `a server that is well: ${refused} of ten requests at once are refused`;
}

/**
 * After all waiting requests have left, a new one waits only for the window and one distance, and not for places of
 * requests that are gone.
 */
export function keepsPlaces(machine: ScopeMachine, state: State): string | undefined {
  const at = machine.settle(state);
  machine.restoreScope(at);
  const newcomer = machine.retrier.open(machine.request) as LiveSession;
  const admission = newcomer.admit();
  const { hold } = machine;
  if (admission.kind === 'go' || machine.gate?.kind === 'shut' || hold === undefined) return undefined;
  const place = permitOf(machine.remembered(newcomer))?.queuePlace.place;
  const waitMs = place === undefined ? 0 : timeOf(hold, place) - at.now;
  // One more millisecond, for rounding.
  const most = Math.max(0, hold.until - at.now) + hold.spacingMs + 1;
  if (admission.kind === 'wait' ? waitMs <= most : most > longestQueueOf(machine)) return undefined;
  return `no request is waiting, but a new one is told to wait: ${JSON.stringify(admission)}, for ${waitMs} ms`;
}

function longestQueueOf(machine: ScopeMachine): number {
  const { hold } = machine.retrier.policy.fallback.settings;
  return (hold !== false && hold.maxQueueMs) || Infinity;
}

/** A trial is short, and no request is refused because of it. */
export function triesFairly(machine: ScopeMachine, state: State): string | undefined {
  machine.restoreScope(state);
  const { hold } = machine;
  if (hold?.phase !== 'trial') return undefined;
  const lastsMs = hold.dueAt - hold.pacedSince;
  if (lastsMs > 1_500) return `a trial of ${lastsMs} ms`;
  const admission = machine.retrier.open(machine.request).admit();
  return admission.kind === 'refuse' ? 'a request is refused because of a trial' : undefined;
}

/** As many attempts are counted as are in flight, no more than there may be, and no more requests than wait. */
export function crowds(machine: ScopeMachine, state: State): string | undefined {
  machine.restoreScope(state);
  const { inFlight, waiting, limit } = machine.concurrency ?? { inFlight: 0, waiting: 0, limit: 1 };
  const out = machine.attemptsOut(state);
  const mayWait = state.slots.filter(({ phase }) => phase === 'waiting').length;
  if (inFlight === out && out <= limit && waiting <= mayWait) return undefined;
  return `${inFlight} of ${out} are counted, ${limit} may be; ${waiting} of ${mayWait} wait`;
}

/** Every request has a place of its own that was not given back. */
export function givesPlacesTwice(machine: ScopeMachine, state: State): string | undefined {
  machine.restoreScope(state);
  const { hold } = machine;
  if (hold === undefined) return undefined;
  const places = state.slots.flatMap((slot) => permitOf(slot.session)?.queuePlace.place ?? []);
  const isWrong = (place: number): boolean => place >= hold.nextPlace || hold.gaps.includes(place);
  return new Set(places).size < places.length || places.some(isWrong)
    ? `places ${places}, of which ${hold.gaps} were given back; the next is ${hold.nextPlace}`
    : undefined;
}

/** The ramp counts as many places as requests hold, and the gate knows which probes are out. */
export function miscounts(machine: ScopeMachine, state: State): string | undefined {
  machine.restoreScope(state);
  const { gate } = machine;
  if (gate === undefined || gate.kind === 'open') return undefined;
  const out = state.slots.filter(({ phase }) => phase === 'sent').map((slot) => permitOf(slot.session));
  const passes = out.filter((permit) => permit?.epoch === gate.epoch);
  return gate.kind === 'shut' ? probesOf(gate, passes) : rampOf(gate, passes, state.now);
}

type Of<K extends GateState['kind']> = Extract<GateState, { kind: K }>;
type Passes = readonly ({ readonly sentAt: number } | undefined)[];

function probesOf({ probes }: Of<'shut'>, passes: Passes): string | undefined {
  const out = passes.map((permit) => permit?.sentAt).sort();
  return String(out) === String([...probes].sort())
    ? undefined
    : `the probes of ${out} are out, and the gate knows of ${probes}`;
}

/** A probe that is not answered holds back the next one, but not for long. */
export function probesAtPace(machine: ScopeMachine, state: State): string | undefined {
  const at = machine.settle(state);
  machine.restoreScope(at);
  const { gate } = machine;
  if (gate?.kind !== 'shut') return undefined;
  const out = at.slots.filter(({ phase, session }) => {
    return phase === 'sent' && permitOf(session)?.epoch === gate.epoch;
  });
  const times = out.map(({ session }) => permitOf(session)?.sentAt ?? 0).sort((a, b) => a - b);
  const isTight = times.some((time, index) => index > 0 && time - (times[index - 1] ?? 0) < 500);
  if (isTight) return `probes at ${times}`;
  const last = Math.max(times.at(-1) ?? at.now, gate.idleSince);
  if (at.now - last < 1_500 || out.length === at.slots.length) return undefined;
  const admission = machine.retrier.open(machine.request).admit();
  return admission.kind === 'go'
    ? undefined
    : `${at.now - last} ms after the last probe: ${JSON.stringify(admission)}`;
}

function rampOf(
  { placesSince, places, placesBefore }: Of<'ramping'>,
  passes: Passes,
  now: number,
): string | undefined {
  if (now - placesSince >= 1_000) return undefined;
  const since = (fromMs: number): number => passes.filter((permit) => (permit?.sentAt ?? 0) >= fromMs).length;
  const taken = since(placesSince);
  const before = since(placesSince - 1_000) - taken;
  return taken === places && before === placesBefore
    ? undefined
    : `${before} and ${taken} requests have places in the ramp, and ${placesBefore} and ${places} are taken`;
}

/** A path of which nothing was asked since the last sign of life is not refused for what others have met. */
export function refusesInnocent(machine: ScopeMachine, state: State): string | undefined {
  machine.restoreScope(state);
  if (machine.gate?.kind !== 'shut') return undefined;
  const index = state.slots.findIndex(({ phase, path }) => {
    return phase === 'idle' && path !== undefined && !state.suspects.includes(path);
  });
  if (index < 0) return undefined;
  const admission = machine.retrier.open(machine.requestOf(state, index)).admit();
  return admission.kind === 'go'
    ? undefined
    : `nothing of ${state.slots[index]?.path} has failed: ${JSON.stringify(admission)}`;
}

/** Of one path, no more than one request is tried apart from the probes. */
export function triesTwice(machine: ScopeMachine, state: State): string | undefined {
  machine.restoreScope(state);
  const { gate } = machine;
  if (gate?.kind !== 'shut') return undefined;
  const apart = state.slots.filter(({ phase, session }) => {
    const permit = permitOf(session);
    return phase === 'sent' && permit?.epoch === noEpoch && state.now - permit.sentAt < 10_000;
  });
  const paths = apart.map(({ path }) => path);
  return new Set(paths).size === paths.length ? undefined : `tried at once: ${paths}`;
}

export function overdraws(machine: ScopeMachine, state: State): string | undefined {
  machine.restoreScope(state);
  const { budget } = machine;
  const { budget: settings } = machine.retrier.policy.fallback.settings;
  if (budget === undefined || settings === false || settings.kind !== 'bucket' || !('tokens' in budget))
    return;
  const isWithin = budget.tokens >= 0 && budget.tokens <= settings.capacity * 1_000;
  return isWithin ? undefined : `${budget.tokens} thousandths of a token`;
}

export type Check = Plan['faultIn'];

export function anyOf(...checks: readonly Check[]): Check {
  return (machine, state) => {
    for (const check of checks) {
      const fault = check(machine, state);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** The path to a fault, one step per line, for people who read a failure. */
export function story({ fault }: Exploration): string {
  return fault === undefined ? 'no fault' : [...fault.path, fault.what].join('\n');
}
