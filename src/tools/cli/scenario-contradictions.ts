/** Contradictions in the servers and clients of a scenario, which no schema can express. */

import type { Problem } from '../../index.js';
import { found } from '../../internal.js';
import type { Clients, Crowds, ServerModel } from '../sim/index.js';

export function serverProblems(server: ServerModel, path: string): readonly Problem[] {
  switch (server.kind) {
    case 'limited':
      return limitProblems(server.limit, `${path}.limit`);
    case 'changing':
      return [
        ...startProblems(server.phases, `${path}.phases`),
        ...partProblems(server.phases, `${path}.phases`),
      ];
    case 'balanced':
      return [
        ...weightProblems(server.backends, `${path}.backends`),
        ...partProblems(server.backends, `${path}.backends`),
      ];
    case 'routed':
      return [
        ...partProblems(server.routes, `${path}.routes`),
        ...serverProblems(server.otherwise, `${path}.otherwise`),
      ];
    default:
      return [];
  }
}

function partProblems(parts: readonly { readonly server: ServerModel }[], path: string): readonly Problem[] {
  return parts.flatMap(({ server }, index) => serverProblems(server, `${path}[${index}].server`));
}

function limitProblems(limit: object, path: string): readonly Problem[] {
  const keys = Object.keys(limit).sort().join(' ');
  if (keys === 'burst perSecond' || keys === 'permits windowMs') return [];
  const allowed = 'perSecond and burst, or permits and windowMs';
  return [{ path, found: keys === '' ? 'an empty object' : `an object with ${keys}`, allowed }];
}

/** With no weight above 0, nothing could be picked. */
function weightProblems(parts: readonly { readonly weight?: number }[], path: string): readonly Problem[] {
  if (parts.some(({ weight = 1 }) => weight > 0)) return [];
  return [{ path, found: 'only weights of 0', allowed: 'at least one weight above 0' }];
}

export function crowdsProblems(clients: Crowds): readonly Problem[] {
  if ('kind' in clients) return crowdProblems(clients, 'clients');
  return clients.flatMap((crowd, index) => crowdProblems(crowd, `clients[${index}]`));
}

function crowdProblems(crowd: Clients, path: string): readonly Problem[] {
  return [
    ...(crowd.kind === 'open' && typeof crowd.perSecond === 'object'
      ? ascentProblems(crowd.perSecond, `${path}.perSecond`)
      : []),
    ...(crowd.routes === undefined ? [] : weightProblems(crowd.routes, `${path}.routes`)),
  ];
}

type Starts = readonly { readonly fromMs: number }[];

function startProblems(phases: Starts, path: string): readonly Problem[] {
  const [first] = phases;
  if (first === undefined || first.fromMs === 0) return ascentProblems(phases, path);
  return [{ path: `${path}[0].fromMs`, found: found(first.fromMs), allowed: '0' }];
}

function ascentProblems(starts: Starts, path: string): readonly Problem[] {
  return starts.flatMap(({ fromMs }, index) => {
    const before = starts[index - 1]?.fromMs ?? -1;
    if (fromMs > before) return [];
    const allowed = `more than the one before, which is ${before}`;
    return [{ path: `${path}[${index}].fromMs`, found: found(fromMs), allowed }];
  });
}
