/** Builds a server from its description as data. */

import type { ServerModel } from '../world.js';
import { Balanced } from './balanced.js';
import { Changing } from './changing.js';
import { Crowded } from './crowded.js';
import { Flaky } from './flaky.js';
import { Limited } from './limited.js';
import { Queue } from './queue.js';
import { Routed } from './routed.js';
import { Scripted } from './scripted.js';
import type { Host, Server } from './server.js';
import { Slowing } from './slowing.js';

export function buildServer(model: ServerModel, host: Host): Server {
  switch (model.kind) {
    case 'crowded':
      return new Crowded(model, host);
    case 'queue':
      return new Queue(model, host);
    case 'slowing':
      return new Slowing(model, host);
    case 'limited':
      return new Limited(model, host);
    case 'flaky':
      return new Flaky(model, host);
    case 'scripted':
      return new Scripted(model, host);
    case 'changing':
      return new Changing(model, buildAll(model.phases, host), host);
    case 'balanced':
      return new Balanced(model, buildAll(model.backends, host), host);
    case 'routed':
      return new Routed(model, buildAll(model.routes, host), buildServer(model.otherwise, host), host);
  }
}

function buildAll(parts: readonly { readonly server: ServerModel }[], host: Host): readonly Server[] {
  return parts.map(({ server }) => buildServer(server, host));
}
