/** Real requests through each client to a faulty server, in a few seconds. */

import type { Command } from '../command.js';
import { defineCommand } from '../command.js';
import type { ClientModules } from '../demo/clients.js';
import { castFrom, ownModules } from '../demo/clients.js';
import { playAll } from '../demo/play.js';
import { scenes as allScenes, type Scene } from '../demo/scenes.js';
import { exitCodes } from '../failure.js';

export const demo: Command = demoWith(ownModules);

export function demoWith(modules: ClientModules, scenes: readonly Scene[] = allScenes): Command {
  return defineCommand({
    name: 'demo',
    summary: 'real requests to a faulty server, and how they are retried',
    options: {},
    details: `
A server on 127.0.0.1 answers 503 and 429, cuts connections and stops responding; fetch, undici and axios retry. For
each attempt, it prints when the attempt ended, what was decided, and why. It takes about five seconds.

  undaunted demo
`,
    async run(_, { stdout }) {
      const { clients, missing } = await castFrom(modules);
      if (missing.length > 0) stdout.line(`${missing.join(', and ')}: fetch sends those requests.\n`);
      await playAll(scenes, clients, stdout);
      return exitCodes.fine;
    },
  });
}
