/** A server that gives scripted answers, one after the other. */

import type { ErrorOutcome, ResponseOutcome } from '../../../index.js';
import type { ScriptedAnswer, ScriptedServer } from '../world.js';
import type { Host, Server } from './server.js';
import { cutOff, refused } from './server.js';

const badBytes: ErrorOutcome = {
  kind: 'error',
  error: { name: 'Error', code: 'HPE_INVALID_CONSTANT', message: 'Expected HTTP/' },
};
const failures = { reset: cutOff, refused, garbage: badBytes } as const;

export class Scripted implements Server {
  concurrency = 0;
  delayMs = 0;
  private readonly answers: readonly ScriptedAnswer[];
  private readonly host: Host;
  private readonly given: Map<number, ScriptedAnswer> = new Map();
  private count = 0;

  constructor({ answers }: ScriptedServer, host: Host) {
    this.answers = answers;
    this.host = host;
  }

  arrive(visit: number): void {
    const answer = this.answers[Math.min(this.count, this.answers.length - 1)] as ScriptedAnswer;
    this.count += 1;
    this.concurrency += 1;
    this.given.set(visit, answer);
    this.delayMs = answer.afterMs ?? 0;
    this.host.later(this.delayMs, visit);
  }

  tick(visit: number): void {
    const given = this.given.get(visit);
    this.given.delete(visit);
    this.concurrency -= 1;
    if (given === undefined || given.answer === 'silence') this.host.ignore(visit);
    else this.host.answer(visit, outcomeOf(given.answer));
  }

  forget(): void {
    this.concurrency = 0;
    this.given.clear();
  }
}

function outcomeOf(answer: Exclude<ScriptedAnswer['answer'], 'silence'>): ErrorOutcome | ResponseOutcome {
  if (typeof answer === 'string') return failures[answer];
  const { body, ...head } = answer;
  return { kind: 'response', ...head, ...(body !== undefined && { content: body }) };
}
