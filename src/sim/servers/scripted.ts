/** Answers as it is told, one after the other. */

import type { ErrorOutcome } from '../../core/types.js';
import type { ScriptedAnswer, ScriptedServer } from '../world.js';
import type { Host, Server } from './server.js';

const reset: ErrorOutcome = {
  kind: 'error',
  error: { name: 'Error', code: 'ECONNRESET', syscall: 'read', message: 'read' },
};

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
    else this.host.answer(visit, given.answer === 'reset' ? reset : { kind: 'response', ...given.answer });
  }

  forget(): void {
    this.concurrency = 0;
    this.given.clear();
  }
}
