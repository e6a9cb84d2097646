/** Puts the faults of a service on the agenda. */

import type { Agenda } from './agenda.js';
import type { Station } from './station.js';
import type { Fault } from './world.js';

interface Switch {
  readonly at: number;
  readonly turn: (station: Station) => void;
}

export function scheduleFaults(agenda: Agenda, station: Station, faults: readonly Fault[]): void {
  const switches = faults.flatMap(switchesOf);
  for (const { at, turn } of switches) agenda.at(at, () => turn(station), 0, 0);
}

function switchesOf(fault: Fault): Switch[] {
  const { fromMs, forMs } = fault;
  const between = (begin: Switch['turn'], end: Switch['turn']): Switch[] => [
    { at: fromMs, turn: begin },
    { at: fromMs + forMs, turn: end },
  ];
  switch (fault.kind) {
    case 'stop':
      return fault.pauses === undefined
        ? between(stop, resume)
        : paused(fromMs, fromMs + forMs, fault.pauses.everyMs, fault.pauses.pauseMs);
    case 'crash':
      return between(crash, restart);
    case 'reset':
      return repeated(fromMs, fromMs + forMs, fault.everyMs ?? forMs);
    case 'slow':
      return between(slowBy(fault.times), slowBy(1));
    case 'lose':
      return between(lose(fault.share), lose(0));
    case 'flap':
      return flap(fromMs, fromMs + forMs, fault.downMs, fault.upMs);
  }
}

function paused(fromMs: number, untilMs: number, everyMs: number, pauseMs: number): Switch[] {
  const switches: Switch[] = [];
  for (let at = fromMs; at < untilMs; at += everyMs) {
    switches.push({ at, turn: stop }, { at: Math.min(at + pauseMs, untilMs), turn: resume });
  }
  return switches;
}

function flap(fromMs: number, untilMs: number, downMs: number, upMs: number): Switch[] {
  const switches: Switch[] = [];
  for (let at = fromMs; at < untilMs; at += downMs + upMs) {
    switches.push({ at, turn: crash }, { at: Math.min(at + downMs, untilMs), turn: restart });
  }
  return switches;
}

function repeated(fromMs: number, untilMs: number, everyMs: number): Switch[] {
  const switches: Switch[] = [];
  for (let at = fromMs; at < untilMs; at += everyMs) switches.push({ at, turn: reset });
  return switches;
}

const stop: Switch['turn'] = (station) => station.stop();
const resume: Switch['turn'] = (station) => station.resume();
const crash: Switch['turn'] = (station) => station.crash();
const reset: Switch['turn'] = (station) => station.reset();
const restart: Switch['turn'] = (station) => station.restart();

function slowBy(times: number): Switch['turn'] {
  return (station) => {
    station.slowness = times;
  };
}

function lose(share: number): Switch['turn'] {
  return (station) => {
    station.lostShare = share;
  };
}
