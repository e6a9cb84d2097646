/** Real sessions of one retrier, under a clock and dice of their own, which count how often they are asked. */

import { expect } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Decision, Outcome, RequestFacts } from '../../../src/core/types.js';
import type { LiveSession } from '../../../src/kernel/live-session.js';
import type { Retrier } from '../../../src/kernel/retrier.js';
import { createRetrier } from '../../../src/parts/all.js';
import { requestOf } from '../../kit.js';

type Shown = ReturnType<Retrier['snapshot']>['scopes'][number];

export class Stage {
  now = 1_000;
  reads = 0;
  draws = 0;
  readonly retrier: Retrier;

  constructor(policy: PolicyOptions) {
    const now = (): number => {
      this.reads += 1;
      return this.now;
    };
    const random = (): number => {
      this.draws += 1;
      return 0.5;
    };
    this.retrier = createRetrier(policy, { now, date: () => 0, random });
  }

  open(request: Partial<RequestFacts> = {}): LiveSession {
    return this.retrier.open(requestOf(request)) as LiveSession;
  }

  /** A request whose first attempt is out. */
  sent(request: Partial<RequestFacts> = {}): LiveSession {
    const session = this.open(request);
    expect(session.admit()).toEqual({ kind: 'go' });
    session.tail?.sent(1);
    return session;
  }

  /** A request that is sent, and ends so. */
  ends(outcome: Outcome, replayable: boolean = false): Decision {
    return this.sent().next(outcome, { replayable });
  }

  succeed(count: number): void {
    for (let each = 0; each < count; each += 1) succeeds(this.sent());
  }

  get scope(): Shown | undefined {
    return this.retrier.snapshot().scopes[0];
  }

  get gate(): string | undefined {
    return this.scope?.gates[0]?.state;
  }

  get tokens(): number | undefined {
    return this.scope?.budgets[0]?.tokens;
  }
}

export function succeeds(session: LiveSession): void {
  expect(session.acceptAtOnce(200)).toBe(true);
  session.bodyEnded();
}
