/** A scenario in sentences. */

import type { ChangingServer, Clients, Fault, LatencyModel, OpenLoop, ServerModel } from '../sim/index.js';
import type { Scenario, ScenarioService } from '../sim/internal.js';
import { listOf } from '../sim/internal.js';
import { countText, percentText, valueText, waitText } from './numbers.js';

export function describeScenario({ world, clients }: Scenario): readonly string[] {
  const { services } = world;
  const names = services.map((_, index) => serviceName(index, services.length));
  return [
    ...listOf(clients).map(describeClients),
    ...services.map((service, index) => describeService(service, names[index] ?? '')),
    ...services.flatMap(({ faults = [] }, index) =>
      faults.map((fault) => `From ${span(fault)}, ${lowered(names[index] ?? '')} ${faultText(fault)}.`),
    ),
    `The run lasts ${waitText(world.durationMs)}.${warmUpText(world)}`,
  ];
}

function warmUpText({ warmUpMs = 0 }: Scenario['world']): string {
  return warmUpMs === 0 ? '' : ` How long requests take is measured after the first ${waitText(warmUpMs)}.`;
}

function serviceName(index: number, count: number): string {
  if (count === 1) return 'The server';
  return index === count - 1 ? `Service ${index + 1}, the last,` : `Service ${index + 1}`;
}

function lowered(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function span({ fromMs, forMs }: Fault): string {
  return `${valueText(fromMs / 1_000)} s to ${valueText((fromMs + forMs) / 1_000)} s`;
}

/** What happens to a server: the end of a sentence about it. */
function faultText(fault: Fault): string {
  switch (fault.kind) {
    case 'stop':
      return fault.pauses === undefined
        ? 'is stopped and answers nothing'
        : `pauses for ${waitText(fault.pauses.pauseMs)} every ${waitText(fault.pauses.everyMs)}`;
    case 'crash':
      return 'is down and refuses connections';
    case 'reset':
      return fault.everyMs === undefined
        ? 'cuts off all requests in progress, once'
        : `cuts off all requests in progress every ${waitText(fault.everyMs)}`;
    case 'slow':
      return `takes ${valueText(fault.times)} times as long`;
    case 'flap':
      return `is down for ${waitText(fault.downMs)}, up for ${waitText(fault.upMs)}, down again and so on`;
    case 'lose':
      return `loses ${percentText(fault.share)} of its answers`;
  }
}

function describeClients(clients: Clients): string {
  const { count, processes = 1 } = clients;
  const who = `${countText(count)} clients in ${processes === 1 ? 'one process' : `${countText(processes)} processes`}`;
  const what = `${requestsText(clients)}${patienceText(clients)}`;
  switch (clients.kind) {
    case 'closed': {
      const end = clients.requests === undefined ? '' : `; ${countText(clients.requests)} altogether`;
      return `${who} think for ${waitText(clients.thinkMs)} on average, then send ${what}${end}.`;
    }
    case 'open':
      return `${who} send ${rateText(clients.perSecond)} ${what}.`;
    case 'burst': {
      const again = clients.everyMs === undefined ? '' : `, and again every ${waitText(clients.everyMs)}`;
      return `${who} send ${what}; all at once after ${waitText(clients.atMs)}${again}.`;
    }
  }
}

function requestsText({ kind, method = 'GET', keyed = false, routes }: Clients): string {
  const requests = `${method} requests${keyed ? ' with an idempotency key' : ''}${kind === 'open' ? ' a second' : ''}`;
  if (routes === undefined) return requests;
  const total = routes.reduce((sum, { weight }) => sum + weight, 0);
  const shares = routes.map(({ path, weight, guilty }) => {
    return `${percentText(weight / total)} for ${path}${guilty === true ? ' (the guilty ones)' : ''}`;
  });
  return `${requests}, ${shares.join(', ')}`;
}

function patienceText({ timeoutMs, deadlineMs, leaving }: Clients): string {
  const patience = timeoutMs === undefined ? '' : `, and wait ${waitText(timeoutMs)} for an answer`;
  const deadline = deadlineMs === undefined ? '' : `, each with a deadline of ${waitText(deadlineMs)}`;
  if (leaving === undefined) return `${patience}${deadline}`;
  const { share = 1, afterMs } = leaving;
  return `${patience}${deadline}; ${share === 1 ? 'they' : `${percentText(share)} of the callers`} abort after ${waitText(afterMs)}`;
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

function describeService({ server, backlog, onward }: ScenarioService, name: string): string {
  const queue =
    backlog === undefined
      ? ''
      : ` Its backlog holds ${countText(backlog)} connections that it has not accepted yet.`;
  const waiting =
    server.kind === 'queue' && server.waits === true
      ? ' It goes on handling a request until the next service has answered.'
      : '';
  const called = onward === undefined ? '' : ` It calls the next service for ${onward} only.`;
  return `${name} ${serverText(server)}.${waiting}${called}${queue}`;
}

function serverText(server: ServerModel): string {
  switch (server.kind) {
    case 'crowded':
      return `answers after ${waitText(server.baseMs)}, and more and more slowly when more than ${countText(server.limit)} requests are in progress`;
    case 'queue':
      return `handles ${countText(server.workers)} requests at a time in ${latencyText(server.serviceMs)} each, queues up to ${countText(server.places)} more and answers 503 to the rest${hintText(server.retryAfter ?? 'unsaid')}`;
    case 'slowing':
      return `answers after ${waitText(server.baseMs)} plus ${waitText(server.eachMs)} for each request in progress`;
    case 'limited':
      return `allows ${limitText(server.limit)} and answers ${server.status ?? 429} to the rest${hintText(server.retryAfter)}`;
    case 'flaky':
      return server.share === 0
        ? `answers after ${latencyText(server.latencyMs)}`
        : `answers ${server.status} to ${server.share === 1 ? 'all' : `${percentText(server.share)} of the`} requests${hintText(server.retryAfter ?? 'unsaid')}, after ${latencyText(server.latencyMs)}`;
    case 'scripted':
      return scriptText(server.answers);
    case 'changing':
      return changesText(server);
    case 'balanced':
      return `is ${countText(server.backends.length)} servers behind one origin: ${partsText(server.backends.map(({ server: part, weight = 1 }) => [weight, part]))}`;
    case 'routed':
      return `answers by path: ${[
        ...server.routes.map(({ path, server: part }) => `for ${path} it ${serverText(part)}`),
        `for everything else it ${serverText(server.otherwise)}`,
      ].join('; ')}`;
  }
}

function scriptText(answers: readonly { readonly answer: unknown }[]): string {
  if (answers.length === 1 && answers[0]?.answer === 'silence') return 'never answers';
  return `gives ${countText(answers.length)} answers in turn, and then repeats the last one`;
}

function changesText({ phases, everyMs }: ChangingServer): string {
  const [first, ...others] = phases.map(({ fromMs, server }) => {
    return fromMs === 0 ? serverText(server) : `from ${waitText(fromMs)} on it ${serverText(server)}`;
  });
  const again = everyMs === undefined ? '' : `; repeated every ${waitText(everyMs)}`;
  return `${[first, ...others].join('; ')}${again}`;
}

/** Servers that are alike count as one. */
function partsText(parts: readonly (readonly [weight: number, server: ServerModel])[]): string {
  const total = parts.reduce((sum, [weight]) => sum + weight, 0);
  const weights = new Map<string, number>();
  for (const [weight, server] of parts) {
    const text = serverText(server);
    weights.set(text, (weights.get(text) ?? 0) + weight);
  }
  return [...weights]
    .map(([text, weight]) => `for ${percentText(weight / total)} of the requests it ${text}`)
    .join('; ');
}

function latencyText(latency: LatencyModel): string {
  if (typeof latency === 'number') return waitText(latency);
  const { medianMs, tail } = latency;
  const usual = `about ${waitText(medianMs)}`;
  if (tail === undefined) return usual;
  const whose = tail.of === 'request' ? 'of the requests, however often they are sent' : 'of the attempts';
  return `${usual} (${valueText(tail.times)} times that for ${percentText(tail.share)} ${whose})`;
}

type Limited = Extract<ServerModel, { kind: 'limited' }>;

function limitText(limit: Limited['limit']): string {
  return 'permits' in limit
    ? `${countText(limit.permits)} requests per ${waitText(limit.windowMs)}`
    : `${valueText(limit.perSecond)} requests a second, in bursts of up to ${countText(limit.burst)},`;
}

function hintText(retryAfter: Limited['retryAfter'] | 'unsaid'): string {
  if (retryAfter === 'unsaid') return '';
  if (retryAfter === false) return ', without a Retry-After';
  return retryAfter === 'exact' ? ', with the exact Retry-After' : `, with Retry-After: ${retryAfter}`;
}
