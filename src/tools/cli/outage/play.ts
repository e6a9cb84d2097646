/** The scenario: clients for the whole run, and a server that is stopped for a while. */

import { pause, sleep, timeText } from '../../../internal.js';
import type { Printer } from '../printer.js';
import type { Progress } from '../progress.js';
import type { Counts } from './counts.js';
import type { Target } from './target.js';
import type { Users } from './users.js';

export interface Timing {
  readonly durationMs: number;
  /** Undefined: the server is not stopped. */
  readonly stopAfterMs: number | undefined;
  readonly stopForMs: number;
}

/** When it really happened, in ms since the clients began. */
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

/** Where it is told how it goes. */
export interface Stage {
  readonly out: Printer;
  readonly progress: Progress;
}

const reportMs = 5_000;
const progressMs = 250;

export async function play(cast: Cast, timing: Timing, stage: Stage, signal: AbortSignal): Promise<Course> {
  const { target, users, counts } = cast;
  const { out, progress } = stage;
  const ending = new AbortController();
  const over = AbortSignal.any([signal, target.lost, ending.signal]);
  const crowd = users.live(over).catch((error: unknown) => ending.abort(error));
  const reports = setInterval(() => {
    progress.clear();
    report(cast, out);
  }, reportMs);
  const looks =
    progress.isOn &&
    setInterval(() => progress.show(counts.now / timing.durationMs, whatNext(cast, timing)), progressMs);
  const course: { -readonly [Key in keyof Course]: Course[Key] } = {
    endedAt: 0,
    stoppedAt: undefined,
    resumedAt: undefined,
    cutShort: undefined,
  };
  try {
    await stopForAWhile(cast, timing, course, stage, over);
    await until(timing.durationMs, counts, over);
  } catch (error) {
    course.cutShort = over.aborted ? over.reason : error;
  } finally {
    clearInterval(reports);
    if (looks !== false) clearInterval(looks);
    progress.clear();
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
  { out, progress }: Stage,
  over: AbortSignal,
): Promise<void> {
  if (stopAfterMs === undefined) return;
  await until(stopAfterMs, counts, over);
  target.stop();
  course.stoppedAt = counts.now;
  progress.clear();
  out.line(out.paint('yellow', `SIGSTOP after ${timeText(course.stoppedAt)}`));
  await until(course.stoppedAt + stopForMs, counts, over);
  target.resume();
  course.resumedAt = counts.now;
  progress.clear();
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

/** For the progress bar: what happens at present, and how long all of it still takes. */
function whatNext({ counts }: Cast, { stopAfterMs = Infinity, stopForMs, durationMs }: Timing): string {
  const { now } = counts;
  const isStopped = now >= stopAfterMs && now < stopAfterMs + stopForMs;
  const left = `${Math.ceil(Math.max(0, durationMs - now) / 1_000)} s left`;
  return isStopped ? `${left}, the server is stopped` : left;
}
