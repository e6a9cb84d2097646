/** A server to practise on: the more requests are in progress, the slower all of them. */

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
  summary: 'a real server on 127.0.0.1 that becomes slower the more it has to do',
  options: {
    port: { kind: 'integer', summary: '0: any that is free', default: 8070, most: 65_535 },
    ...serverOptions,
  },
  details: `
The server of smira/exponential-backoff (2014). It answers after base-delay, and
above its limit of requests in progress after

  base-delay × factor ^ ((in progress - limit) / ${articleServer.step})

looked at every ${articleServer.checkMs} ms for as long as a request is there. A client that leaves
gives no place back. Once a second, it prints how many are in progress and what
an answer takes by now.

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
  out.line(`${time}: concurrency: ${concurrency}, last delay: ${timeText(host.delayMs)}`);
}
