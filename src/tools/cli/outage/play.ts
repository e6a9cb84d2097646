/** The scenario: clients for the whole run, and a server that is stopped for a while. */

import { pause, sleep, timeText } from '../../../internal.js';
import type { Printer } from '../printer.js';
import type { Counts } from './counts.js';
import type { Target } from './target.js';
import type { Users } from './users.js';

export interface Timing {
  readonly durationMs: number;
  /** Undefined: it is not stopped. */
  readonly stopAfterMs: number | undefined;
  readonly stopForMs: number;
}

/** When it really was, since the clients began. */
export interface Course {
  readonly endedAt: number;
  readonly stoppedAt: number | undefined;
  readonly resumedAt: number | undefined;
  /** Why it ended early: an interruption, or what went wrong. */
  readonly cutShort: unknown;
}

export interface Cast {
  readonly target: Target;
  readonly users: Users;
  readonly counts: Counts;
}

const reportMs = 5_000;

export async function play(cast: Cast, timing: Timing, out: Printer, signal: AbortSignal): Promise<Course> {
  const { target, users, counts } = cast;
  const ending = new AbortController();
  const over = AbortSignal.any([signal, target.lost, ending.signal]);
  const crowd = users.live(over).catch((error: unknown) => ending.abort(error));
  const reports = setInterval(() => report(cast, out), reportMs);
  const course: { -readonly [Key in keyof Course]: Course[Key] } = {
    endedAt: 0,
    stoppedAt: undefined,
    resumedAt: undefined,
    cutShort: undefined,
  };
  try {
    await stopForAWhile(cast, timing, course, out, over);
    await until(timing.durationMs, counts, over);
  } catch (error) {
    course.cutShort = over.aborted ? over.reason : error;
  } finally {
    clearInterval(reports);
    course.endedAt = counts.now;
    ending.abort();
    await crowd;
  }
  return course;
}

async function stopForAWhile(
  { target, counts }: Cast,
  { stopAfterMs, stopForMs }: Timing,
  course: { stoppedAt: number | undefined; resumedAt: number | undefined },
  out: Printer,
  over: AbortSignal,
): Promise<void> {
  if (stopAfterMs === undefined) return;
  await until(stopAfterMs, counts, over);
  target.stop();
  course.stoppedAt = counts.now;
  out.line(out.paint('yellow', `SIGSTOP after ${timeText(course.stoppedAt)}`));
  await until(course.stoppedAt + stopForMs, counts, over);
  target.resume();
  course.resumedAt = counts.now;
  out.line(out.paint('yellow', `SIGCONT after ${timeText(course.resumedAt)}`));
}

function until(atMs: number, counts: Counts, over: AbortSignal): Promise<void> {
  return pause(sleep, atMs - counts.now, over);
}

function report({ counts, target }: Cast, out: Printer): void {
  const rate = (counted: Parameters<Counts['perSecond']>[0]): string =>
    counts.perSecond(counted, counts.now - reportMs, reportMs).toFixed(2);
  out.line(
    `per second: OK ${rate('good')}, errors ${rate('errors')}, timed out ${rate('timedOut')}, ` +
      `refused ${rate('refused')}`,
  );
  if (target.lastLine !== '') out.line(out.paint('dim', `  server: ${target.lastLine}`));
}
