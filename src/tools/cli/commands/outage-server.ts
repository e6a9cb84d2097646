/** A server to practise on: the more requests are in progress, the slower it answers all of them. */

import { pause, sleep, timeText } from '../../../internal.js';
import { articleServer } from '../../sim/index.js';
import type { Command } from '../command.js';
import { defineCommand } from '../command.js';
import type { CrowdedHttpServer } from '../outage/http-server.js';
import { openServer } from '../outage/http-server.js';
import { modelOf, serverOptions } from '../outage/server-options.js';
import type { Printer } from '../printer.js';

export const outageServer: Command = defineCommand({
  name: 'outage server',
  summary: 'a real server on 127.0.0.1 that gets slower under load',
  options: {
    port: { kind: 'integer', summary: 'port to listen on; 0 for any free one', default: 8070, most: 65_535 },
    ...serverOptions,
  },
  details: `
The server of smira/exponential-backoff (2014). It answers after base-delay, and
with more requests in progress than the limit after

  base-delay × factor ^ ((in progress - limit) / ${articleServer.step})

which it checks every ${articleServer.checkMs} ms while a request is in progress. A client that
disconnects does not reduce the load. Once a second, it prints the number of requests
in progress and the current response time.

Stop it with Ctrl-Z, wait, continue it with fg, and see whether it recovers:

  undaunted outage server
  undaunted outage clients --url http://127.0.0.1:8070/api --policy fixed
`,
  async run({ options }, io) {
    const ended = io.interruption();
    const server = await openServer({
      model: modelOf(options),
      port: options.port,
      backlog: options.backlog,
    });
    try {
      io.stdout.line(`Listening on ${server.url} (process ${process.pid}, backlog ${options.backlog}).`);
      for (;;) {
        await pause(sleep, 1_000, ended);
        report(io.stdout, server);
      }
    } finally {
      await server.close();
    }
  },
});

function report(out: Printer, { host }: CrowdedHttpServer): void {
  const time = new Date().toISOString().slice(11, 23);
  const concurrency = String(host.concurrency).padStart(4);
  out.line(`${time}: in progress: ${concurrency}, response time: ${timeText(host.delayMs)}`);
}
