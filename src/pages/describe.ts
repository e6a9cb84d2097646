/** A scenario in sentences. */

import type { Clients, Fault, OpenLoop, ServerModel } from '../sim/index.js';
import { countText, percentText, valueText, waitText } from './numbers.js';
import type { Scenario, ScenarioService } from './scenarios.js';

export function describeScenario({ world, clients }: Scenario): readonly string[] {
  const { services } = world;
  const names = services.map((_, index) => serviceName(index, services.length));
  return [
    describeClients(clients),
    ...services.map((service, index) => describeService(service, names[index] ?? '')),
    ...services.flatMap(({ faults = [] }, index) =>
      faults.map((fault) => `From ${span(fault)}, ${lowered(names[index] ?? '')} ${faultText(fault)}.`),
    ),
    `All of it takes ${waitText(world.durationMs)}.`,
  ];
}

export function serviceName(index: number, count: number): string {
  if (count === 1) return 'The server';
  return index === count - 1 ? `Service ${index + 1}, the last,` : `Service ${index + 1}`;
}

function lowered(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function span({ fromMs, forMs }: Fault): string {
  return `${valueText(fromMs / 1_000)} s to ${valueText((fromMs + forMs) / 1_000)} s`;
}

/** What happens to a server, as the end of a sentence about it. */
export function faultText(fault: Fault): string {
  switch (fault.kind) {
    case 'stop':
      return 'is stopped and answers nothing';
    case 'crash':
      return 'is down and refuses connections';
    case 'slow':
      return `takes ${valueText(fault.times)} times as long`;
    case 'flap':
      return `is down for ${waitText(fault.downMs)}, up for ${waitText(fault.upMs)}, and so on`;
    case 'lose':
      return `loses ${percentText(fault.share)} of its answers`;
  }
}

function describeClients(clients: Clients): string {
  const { count, processes = 1, timeoutMs, method = 'GET', keyed = false } = clients;
  const who = `${countText(count)} clients in ${processes === 1 ? 'one process' : `${countText(processes)} processes`}`;
  const what = `${method} requests${keyed ? ' with an idempotency key' : ''}`;
  const patience = timeoutMs === undefined ? '' : `, and wait ${waitText(timeoutMs)} for an answer`;
  return clients.kind === 'closed'
    ? `${who} think for ${waitText(clients.thinkMs)} on average, then send ${what}${patience}.`
    : `${who} send ${rateText(clients.perSecond)} ${what} a second${patience}.`;
}

function rateText(perSecond: OpenLoop['perSecond']): string {
  if (typeof perSecond === 'number') return valueText(perSecond);
  return perSecond
    .map(
      ({ fromMs, perSecond: rate }) =>
        `${valueText(rate)}${fromMs === 0 ? '' : ` (from ${waitText(fromMs)})`}`,
    )
    .join(', then ');
}

function describeService({ server, backlog }: ScenarioService, name: string): string {
  const queue =
    backlog === undefined ? '' : ` Its kernel accepts ${countText(backlog)} connections meanwhile.`;
  return `${name} ${serverText(server)}.${queue}`;
}

function serverText(server: ServerModel): string {
  switch (server.kind) {
    case 'crowded':
      return `answers after ${waitText(server.baseMs)}, and ever more slowly with more than ${countText(server.limit)} requests in progress`;
    case 'queue':
      return `does ${countText(server.workers)} requests at a time in ${waitText(server.serviceMs)} each, keeps ${countText(server.places)} waiting and answers 503 to the others`;
    case 'slowing':
      return `answers after ${waitText(server.baseMs)}, and ${waitText(server.eachMs)} more for each request in progress`;
    case 'limited':
      return `allows ${limitText(server.limit)} and answers 429 to the others${hintText(server.retryAfter)}`;
    case 'flaky':
      return server.share === 0
        ? `answers after ${waitText(server.latencyMs)}`
        : `answers ${server.status} to ${percentText(server.share)} of the requests, after ${waitText(server.latencyMs)}`;
    case 'scripted':
      return `gives ${countText(server.answers.length)} answers in turn, the last one again and again`;
  }
}

type Limited = Extract<ServerModel, { kind: 'limited' }>;

function limitText(limit: Limited['limit']): string {
  return 'permits' in limit
    ? `${countText(limit.permits)} requests in each ${waitText(limit.windowMs)}`
    : `${valueText(limit.perSecond)} requests a second, and ${countText(limit.burst)} at once`;
}

function hintText(retryAfter: Limited['retryAfter']): string {
  if (retryAfter === false) return ', without saying for how long';
  return retryAfter === 'exact' ? ', with the right Retry-After' : `, with Retry-After: ${retryAfter}`;
}
