/** Real requests through both clients to a server that fails, in a few seconds. */

import type { Command } from '../command.js';
import { defineCommand } from '../command.js';
import type { ClientModules } from '../demo/clients.js';
import { castFrom, ownModules } from '../demo/clients.js';
import { playAll } from '../demo/play.js';
import { scenes } from '../demo/scenes.js';
import { exitCodes, Failure } from '../failure.js';

export const demo: Command = demoWith(ownModules);

export function demoWith(modules: ClientModules): Command {
  return defineCommand({
    name: 'demo',
    summary: 'real requests to a server that fails, and what becomes of them',
    options: {},
    details: `
A server on 127.0.0.1 answers 503 and 429, cuts connections and falls silent, and undici and axios retry. For each
attempt you read when it ended, what was decided, and why. It takes about five seconds.

  undaunted demo
`,
    async run(_, { stdout }) {
      const { clients, missing } = await castFrom(modules);
      const [first, ...others] = clients;
      if (first === undefined) {
        throw new Failure(`${missing.join(', ')}. Install one of them: npm install undici`);
      }
      if (missing.length > 0) stdout.line(`${missing.join(', ')}: ${first.name} plays all of it.\n`);
      await playAll(scenes, [first, ...others], stdout);
      return exitCodes.fine;
    },
  });
}
