/** Many small processes, and what they have found. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Found, FromProcess, Plan, ToProcess } from './plan.js';

const program = fileURLToPath(new URL('process.js', import.meta.url));
/** How many start at once. */
const together = 5;

class Member {
  isShared = false;
  private readonly process: ChildProcess;
  private readonly ready: Promise<void>;

  constructor(plan: Plan) {
    this.process = fork(program, [JSON.stringify(plan)]);
    this.process.on('message', (message: FromProcess) => {
      if (message.kind === 'fleet') this.isShared = message.isShared;
    });
    this.ready = once(this.process, 'message').then(() => undefined);
  }

  isReady(): Promise<void> {
    return this.ready;
  }

  tell(message: ToProcess): void {
    this.process.send(message);
  }

  found(): Promise<Found> {
    return new Promise((resolve) => {
      const hear = (message: FromProcess): void => {
        if (message.kind !== 'found') return;
        this.process.off('message', hear);
        resolve(message.found);
      };
      this.process.on('message', hear);
      this.tell({ kind: 'tell' });
    });
  }

  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGKILL');
    await once(this.process, 'exit');
  }
}

export class Crowd {
  private readonly members: Member[] = [];

  static async of(count: number, plan: Plan): Promise<Crowd> {
    const crowd = new Crowd();
    while (crowd.members.length < count) {
      const more = Array.from(
        { length: Math.min(together, count - crowd.members.length) },
        () => new Member(plan),
      );
      crowd.members.push(...more);
      await Promise.all(more.map((member) => member.isReady()));
    }
    return crowd;
  }

  tell(message: ToProcess): void {
    for (const member of this.members) member.tell(message);
  }

  async areShared(): Promise<void> {
    while (!this.members.every(({ isShared }) => isShared)) await sleep(20);
  }

  found(): Promise<Found[]> {
    return Promise.all(this.members.map((member) => member.found()));
  }

  async end(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end()));
  }
}
