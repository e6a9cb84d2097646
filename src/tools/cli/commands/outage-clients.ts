/** A thousand real clients and their retries, against a real server that stops for a while. */

import { timeText } from '../../../internal.js';
import { articleClients } from '../../sim/index.js';
import type { Command, Given } from '../command.js';
import { defineCommand } from '../command.js';
import { exitCodes, Failure, Interruption } from '../failure.js';
import { Counts } from '../outage/counts.js';
import type { Timing } from '../outage/play.js';
import { play } from '../outage/play.js';
import { startedServerOptions } from '../outage/server-options.js';
import { readStrategy, strategyNames } from '../outage/strategies.js';
import { printSummary, recoveryOf } from '../outage/summary.js';
import type { Target } from '../outage/target.js';
import { reachServer, startServer } from '../outage/target.js';
import { Users } from '../outage/users.js';
import { Progress } from '../progress.js';
import { loadUndici } from '../undici.js';

/** The time after the server continues, or the whole run without a stop. */
const tailMs = 60_000;

const usualStopMs = 10_000;

const second = 1_000;

const options = {
  policy: {
    kind: 'text',
    value: 'policy',
    summary: 'how the clients retry: a policy file or a name',
    default: 'service',
  },
  clients: {
    kind: 'integer',
    summary: 'number of clients',
    default: articleClients.count,
    least: 1,
    most: 100_000,
  },
  lambda: {
    kind: 'duration',
    summary: 'mean time that a client thinks between its requests',
    default: articleClients.thinkMs,
    least: 1,
  },
  timeout: {
    kind: 'duration',
    summary: 'how long a client waits for an answer, if the policy does not say',
    default: articleClients.timeoutMs ?? Number.NaN,
    least: 1,
    most: 3_600_000,
  },
  'stop-after': { kind: 'duration', summary: 'when to stop the server (SIGSTOP)', least: second },
  'stop-for': {
    kind: 'duration',
    summary: `for how long to stop it (until SIGCONT; default: ${timeText(usualStopMs)})`,
    least: second,
  },
  duration: {
    kind: 'duration',
    summary: 'duration of the whole run (default: until 60 s after the stop, or 60 s)',
    least: second,
    most: 86_400_000,
  },
  url: {
    kind: 'text',
    value: 'url',
    summary: 'use a server that is already running on this machine (default: start one)',
  },
  ...startedServerOptions,
} as const;

export const outageClients: Command = defineCommand({
  name: 'outage clients',
  summary: 'real clients with real retries, and a real server that stops for a while',
  options,
  details: `
The scenario of smira/exponential-backoff (2014) over 127.0.0.1: each client
thinks, opens a connection, sends a request, and thinks again. When the server
continues after the stop, the requests of the meantime are waiting for it, and
the retries decide whether it ever recovers. Every five seconds, it prints how
the attempts ended, and at the end the rates before, during and after the stop,
and whether the server recovered and why; if it did not, the exit code is 1.
Ctrl-C prints the rates so far.

--policy is a file, "-" for stdin, or one of ${strategyNames.join(', ')}.
Some of them:

  fixed    every 100 ms, forever
  article  the original's formula: 2.71828 times the previous wait, at most
           5 min, plus or minus 0.1 s
  default  the defaults of undaunted
  service  presets.policies.service

  undaunted outage clients --policy fixed --stop-after 20s --stop-for 10s
  undaunted outage clients --policy service --stop-after 20s --stop-for 10s

Ctrl-C is safe at any time, also during the stop. After kill -9 during the stop,
the server stays stopped: end the one that was started here with kill -9 and its
process id, which the first line prints; continue your own (--url) with kill -CONT.

--limit, --factor, --base-delay and --backlog are options of the server that is
started here. If your machine cannot open a thousand connections at once, use a
fifth of everything:

  --clients 200 --limit 6 --factor 1.2763 --backlog 102
`,
  async run({ options }, io) {
    const undici = await loadUndici();
    const strategy = await readStrategy(options.policy, io);
    const timing = timingOf(options);
    const signal = io.interruption();
    const target = await targetOf(options, signal);
    try {
      const counts = new Counts(timing.durationMs);
      const { clients, lambda: thinkMs, timeout: timeoutMs } = options;
      const users = new Users({ url: target.url, clients, thinkMs, timeoutMs, strategy }, undici, counts);
      const where = target.pid === undefined ? target.url : `${target.url} (process ${target.pid})`;
      io.stdout.text(`${clients} clients, policy ${options.policy}, at ${where}`);
      const stage = { out: io.stdout, progress: new Progress(io.stderr) };
      const course = await play({ target, users, counts }, timing, stage, signal);
      if (course.cutShort instanceof Interruption)
        io.stdout.text(`Interrupted after ${timeText(course.endedAt)}: what follows is partial.`);
      printSummary(io.stdout, counts, course);
      if (course.cutShort !== undefined) throw course.cutShort;
      const recovery = recoveryOf(counts, course, options.policy);
      if (recovery === undefined) return exitCodes.fine;
      io.stdout.text(recovery.line, recovery.recovered ? 'green' : 'red');
      return recovery.recovered ? exitCodes.fine : exitCodes.no;
    } finally {
      await target.release();
    }
  },
});

type Options = Given<typeof options>['options'];

function timingOf({ 'stop-after': stopAfterMs, 'stop-for': givenStopForMs, duration }: Options): Timing {
  if (stopAfterMs === undefined && givenStopForMs !== undefined) {
    throw new Failure(
      '--stop-for needs --stop-after, which says when the stop begins: --stop-after 20s, for example.',
    );
  }
  const stopForMs = givenStopForMs ?? usualStopMs;
  const stopEndsMs = stopAfterMs === undefined ? 0 : stopAfterMs + stopForMs;
  const durationMs = duration ?? stopEndsMs + tailMs;
  if (durationMs >= stopEndsMs) return { durationMs, stopAfterMs, stopForMs };
  throw new Failure(
    '--duration is over before the stop is: make it longer than --stop-after and --stop-for together.',
  );
}

function targetOf(
  { url, 'stop-after': stopAfterMs, ...options }: Options,
  signal: AbortSignal,
): Promise<Target> {
  const { limit, factor, 'base-delay': baseMs, backlog } = options;
  const given = Object.entries({ limit, factor, 'base-delay': baseMs && `${baseMs}ms`, backlog }).filter(
    ([, value]) => value !== undefined,
  );
  if (url === undefined) {
    const args = given.flatMap(([name, value]) => [`--${name}`, String(value)]);
    return startServer(args, signal);
  }
  const [first] = given;
  if (first === undefined) return reachServer(url, stopAfterMs !== undefined, signal);
  throw new Failure(
    `--${first[0]} cannot change the server at --url, which is already running: give it to "undaunted outage server".`,
  );
}
