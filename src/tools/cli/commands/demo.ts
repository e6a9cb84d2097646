/** Real requests through both clients to a faulty server, in a few seconds. */

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
    summary: 'real requests to a faulty server, and how they are retried',
    options: {},
    details: `
A server on 127.0.0.1 answers 503 and 429, cuts connections and stops responding; undici and axios retry. For each
attempt, it prints when the attempt ended, what was decided, and why. It takes about five seconds.

  undaunted demo
`,
    async run(_, { stdout }) {
      const { clients, missing } = await castFrom(modules);
      const [first, ...others] = clients;
      if (first === undefined) {
        throw new Failure(`${missing.join(', and ')}. Install one of them: npm install undici`);
      }
      if (missing.length > 0)
        stdout.line(`${missing.join(', and ')}, so ${first.name} sends all requests.\n`);
      await playAll(scenes, [first, ...others], stdout);
      return exitCodes.fine;
    },
  });
}
