/** The hold that begins with a share of refusals: it is kept only while fewer are refused because fewer are sent. */

import { describe, expect, test } from 'vitest';
import { isPaced, spacingBy, takePlace, timeOf } from '../../../src/core/limits/hold/queue.js';
import { afterRefusal } from '../../../src/core/limits/hold/refusals.js';
import type { AnswerKind, Sample } from '../../../src/core/limits/hold/sample.js';
import { afterAnswer, afterSent, noSample } from '../../../src/core/limits/hold/sample.js';
import type { Hold } from '../../../src/core/limits/hold/setting.js';
import type { HoldPhase, HoldState } from '../../../src/core/limits/hold/state.js';
import { noHold } from '../../../src/core/limits/hold/state.js';
import { judged } from '../../../src/core/limits/hold/trial.js';
import { defaults } from '../../../src/core/policy/defaults.js';
import type { ResponseFinding } from '../../../src/core/types.js';

function tooMuch(hintMs: number | null): ResponseFinding {
  const hint = { delayMs: hintMs, reason: 'retry-after' };
  return { kind: 'response', status: 429, class: 'throttled', evidence: 'refused', hint, aborted: false };
}

interface Lasting {
  /** Of so many attempts a second … */
  readonly perSecond: number;
  /** … this share is refused; the others succeed. */
  readonly refused: number;
  readonly hintMs?: number | null;
}

/** A scope whose attempts are answered at an even rate. */
class Watched {
  state: HoldState = noHold;
  sample: Sample = noSample;
  now = 10_000;
  private readonly hold: Hold;
  private due = 0;

  constructor(more: Partial<Hold> = {}) {
    this.hold = { ...defaults.hold, ...more };
  }

  get phase(): HoldPhase {
    return this.state.phase;
  }

  judge(): void {
    ({ state: this.state, sample: this.sample } = judged(this.hold, this.state, this.sample, this.now));
  }

  answer(kind: AnswerKind, sentAt = this.now, hintMs: number | null = 5_000): void {
    this.judge();
    const finding = kind === 'refusal' ? tooMuch(hintMs) : undefined;
    const isCounted = sentAt >= this.state.pacedSince;
    this.sample = afterAnswer(this.sample, isCounted, kind, finding, this.now);
    if (finding !== undefined) {
      this.state = afterRefusal(this.hold, this.state, this.sample, finding, this.now);
    }
  }

  /** Until it ends or the phase changes. While requests queue, each answer belongs to an attempt of that time. */
  for(ms: number, { perSecond, refused, hintMs = 5_000 }: Lasting): this {
    const { phase } = this;
    const until = this.now + ms;
    while (this.now + 1_000 / perSecond <= until) {
      this.now += 1_000 / perSecond;
      this.judge();
      if (this.phase !== phase) return this;
      if (isPaced(this.state, this.now)) this.sample = afterSent(this.sample, 1);
      this.due += refused;
      if (this.due >= 1 - 1e-9) this.answer('refusal', this.now, hintMs);
      else this.answer('success');
      this.due %= 1 - 1e-9;
    }
    this.now = until;
    return this;
  }

  /** The limit of 40 a second, of which 160 are wanted, is known by now. */
  static paced(): Watched {
    const watched = new Watched().for(3_000, { perSecond: 160, refused: 0.75 });
    watched.for(2_000, { perSecond: 38, refused: 0 }).for(1_500, { perSecond: 160, refused: 0.75 });
    return watched;
  }
}

describe('a trial', () => {
  test('begins after two samples in a row in which half or more were refused, at a little less than what succeeds', () => {
    const watched = new Watched().for(1_500, { perSecond: 100, refused: 0.6 });
    expect(watched.phase).toBe('free');
    watched.for(2_000, { perSecond: 100, refused: 0.6 });
    expect(watched.state).toMatchObject({ phase: 'trial', share: expect.closeTo(0.6, 1) });
    expect(watched.state.spacingMs * 0.9).toBeCloseTo(1_000 / 40, 0);
    expect(watched.state.dueAt - watched.now).toBe(1_500);
    expect(isPaced(watched.state, watched.now)).toBe(true);
  });

  test.each([
    ['fewer are refused', 100, 0.45],
    ['there are too few', 0.9, 1],
  ])('does not begin if %s', (_, perSecond, refused) => {
    expect(new Watched().for(120_000, { perSecond, refused, hintMs: null }).phase).toBe('free');
  });

  test('does not begin after a single sample', () => {
    const watched = new Watched();
    for (let turn = 0; turn < 10; turn += 1) {
      watched.for(1_100, { perSecond: 100, refused: 0.9 }).for(2_100, { perSecond: 100, refused: 0 });
    }
    expect(watched.phase).toBe('free');
  });

  test('does not become faster while it lasts', () => {
    const { state, now } = new Watched().for(4_000, { perSecond: 100, refused: 0.6 });
    expect(spacingBy(state, now + 1_500) / state.spacingMs).toBeCloseTo(1, 3);
  });

  test('lasts no longer than requests may queue', () => {
    const watched = new Watched({ maxQueueMs: 400 }).for(4_000, { perSecond: 100, refused: 0.6 });
    expect(watched.state.dueAt - watched.now).toBe(400);
  });
});

describe('after a trial', () => {
  const tried = () => new Watched().for(4_000, { perSecond: 100, refused: 0.8 });

  test('that did not halve the share, all are let go, for ten seconds, then twenty', () => {
    const watched = tried();
    const { place, state } = takePlace({ ...watched.state, nextPlace: 70 }, watched.now);
    watched.state = state;
    watched.for(2_000, { perSecond: 20, refused: 0.8 });
    expect(watched.state).toMatchObject({ phase: 'free', restMs: 10_000 });
    expect(isPaced(watched.state, watched.now)).toBe(false);
    // They follow each other within a second.
    expect(timeOf(watched.state, place)).toBeGreaterThan(watched.now + 900);
    expect(timeOf(watched.state, place)).toBeLessThanOrEqual(watched.state.pacedSince + 1_000);
    expect(timeOf(watched.state, place - 60)).toBeLessThan(watched.now + 200);
    watched.for(9_900, { perSecond: 100, refused: 0.8 });
    expect(watched.phase).toBe('free');
    watched.for(3_000, { perSecond: 100, refused: 0.8 });
    expect(watched.phase).toBe('trial');
    watched.for(2_000, { perSecond: 20, refused: 0.8 });
    expect(watched.state).toMatchObject({ phase: 'free', restMs: 20_000 });
  });

  test('in which too little was sent to tell, all are let go as well', () => {
    expect(tried().for(2_000, { perSecond: 2, refused: 0 }).phase).toBe('free');
  });

  test('that halved it, all are let go as well; only if as many are refused again, it is a limit for all', () => {
    const watched = tried().for(2_000, { perSecond: 19, refused: 0 });
    expect(watched.phase).toBe('proof');
    expect(isPaced(watched.state, watched.now)).toBe(false);
    watched.for(1_500, { perSecond: 100, refused: 0.8 });
    expect(watched.phase).toBe('paced');
    expect(watched.state.spacingMs * 0.95).toBeCloseTo(1_000 / 20, -1);
  });

  test('a tenant that left during it has proved nothing', () => {
    const watched = tried()
      .for(2_000, { perSecond: 19, refused: 0 })
      .for(1_500, { perSecond: 100, refused: 0 });
    expect(watched.state).toMatchObject({ phase: 'free', restMs: 0 });
  });

  test('only attempts that were sent in it are judged', () => {
    const watched = tried();
    const before = watched.state.pacedSince - 1;
    for (let late = 0; late < 50; late += 1) watched.answer('refusal', before);
    expect(watched.for(2_000, { perSecond: 19, refused: 0 }).phase).toBe('proof');
  });

  test('refusals that take their time are judged by what was answered, not by what was sent', () => {
    const watched = tried();
    // Twenty are sent, and eight of them are answered by its end.
    watched.sample = afterSent(watched.sample, 20);
    for (let answer = 0; answer < 8; answer += 1) watched.answer('refusal');
    watched.now = watched.state.dueAt;
    watched.judge();
    expect(watched.phase).toBe('free');
  });
});

describe('while requests queue', () => {
  test('few refusals change nothing', () => {
    const watched = Watched.paced();
    const { pacedSince } = watched.state;
    expect(watched.phase).toBe('paced');
    watched.for(5_000, { perSecond: 40, refused: 0.1 });
    expect(watched.state).toMatchObject({ phase: 'paced', pacedSince });
  });

  test('the share is that of what was sent: where refusals come at once and successes late, it is not all', () => {
    const watched = Watched.paced();
    const { spacingMs, pacedSince } = watched.state;
    watched.sample = afterSent(watched.sample, 40);
    watched.now += 200;
    for (let answer = 0; answer < 4; answer += 1) watched.answer('refusal');
    watched.now += 900;
    watched.judge();
    expect(watched.state).toMatchObject({ spacingMs, pacedSince });
  });

  test('an eighth makes them a little slower, and a check follows if that does not help', () => {
    const watched = Watched.paced();
    const first = watched.state.spacingMs;
    watched.for(2_200, { perSecond: 40, refused: 0.3 });
    expect(watched.state.spacingMs / first).toBeCloseTo(1 / 0.9, 1);
    expect(watched.state.share).toBeCloseTo(0.3, 1);
    watched.for(3_000, { perSecond: 36, refused: 0.3 });
    expect(watched.phase).toBe('check');
  });

  test('ten attempts are enough to tell, and nine are too few', () => {
    const watched = Watched.paced();
    const { pacedSince } = watched.state;
    watched.for(2_250, { perSecond: 4, refused: 0.5 });
    watched.judge();
    expect(watched.state).toMatchObject({ phase: 'paced', pacedSince });
    watched.for(250, { perSecond: 4, refused: 0.5 });
    watched.judge();
    expect(watched.state).toMatchObject({ phase: 'paced', pacedSince: watched.now });
  });

  test.each([
    ['has not helped if three quarters of them are left', 0.34, 'check'],
    ['has helped a little if there are fewer', 0.26, 'paced'],
  ])('a slower pace %s', (_, refused, phase) => {
    const watched = Watched.paced().for(2_200, { perSecond: 40, refused: 0.4 });
    expect(watched.state).toMatchObject({ phase: 'paced', share: expect.closeTo(0.4, 1) });
    const { pacedSince } = watched.state;
    watched.for(2_200, { perSecond: 36, refused });
    expect(watched.phase).toBe(phase);
    // It is slower once more in any case.
    expect(watched.state.pacedSince).toBeGreaterThan(pacedSince);
  });

  test('a check that helps goes on in between', () => {
    const watched = Watched.paced().for(2_200, { perSecond: 40, refused: 0.3 });
    const before = watched.state.spacingMs;
    watched.for(3_000, { perSecond: 36, refused: 0.3 });
    const during = watched.state.spacingMs;
    watched.for(2_000, { perSecond: 24, refused: 0 });
    expect(watched.state).toMatchObject({ phase: 'paced', share: 0 });
    expect(watched.state.spacingMs).toBeGreaterThan(before);
    expect(watched.state.spacingMs).toBeLessThan(during);
  });

  test('a share that does not fall in it is borne: the pace is what it was, and only more of it counts', () => {
    const watched = Watched.paced().for(2_200, { perSecond: 40, refused: 0.3 });
    const before = watched.state.spacingMs;
    watched.for(3_000, { perSecond: 36, refused: 0.3 }).for(2_000, { perSecond: 24, refused: 0.3 });
    expect(watched.phase).toBe('borne');
    expect(watched.state.spacingMs / before).toBeCloseTo(1, 0);
    const { pacedSince } = watched.state;
    watched.for(5_000, { perSecond: 36, refused: 0.3 });
    expect(watched.state).toMatchObject({ phase: 'borne', pacedSince });
    watched.for(2_000, { perSecond: 36, refused: 0.7 });
    expect(watched.phase).toBe('paced');
  });

  test('if most are refused, and a check does not help, all are let go', () => {
    const watched = Watched.paced().for(2_200, { perSecond: 40, refused: 0.9 });
    expect(watched.phase).toBe('check');
    expect(watched.state.spacingMs).toBeGreaterThan(200);
    expect(watched.for(2_000, { perSecond: 5, refused: 0.9 }).phase).toBe('free');
  });

  test('twice as many as before means that the limit has changed: that is no failed attempt to slow down', () => {
    const watched = Watched.paced().for(2_200, { perSecond: 40, refused: 0.3 });
    watched.for(3_000, { perSecond: 36, refused: 0.9 });
    expect(watched.state).toMatchObject({ phase: 'paced', share: expect.closeTo(0.8, 0) });
  });

  describe('a limit that has moved up', () => {
    const served = { perSecond: 38, refused: 0 };
    const risen = () => Watched.paced().for(7_000, served);

    test('is noticed when the pace has grown by three tenths and is still borne', () => {
      const watched = Watched.paced();
      const { spacingMs } = watched.state;
      watched.for(5_000, served);
      expect(watched.phase).toBe('paced');
      watched.for(2_000, served);
      expect(watched.phase).toBe('rising');
      const growth = spacingMs / watched.state.spacingMs;
      expect(growth).toBeGreaterThanOrEqual(1.3);
      // A sample lasts a second.
      expect(growth).toBeLessThan(1.3 * 1.12 ** 1.1);
    });

    test('the pace doubles each second then, and nobody is let go at once', () => {
      const watched = risen();
      const { spacingMs, pacedSince } = watched.state;
      expect(spacingBy(watched.state, pacedSince + 1_000)).toBeCloseTo(spacingMs / 2);
      expect(spacingBy(watched.state, pacedSince + 3_000)).toBeCloseTo(spacingMs / 8);
      const { place, state } = takePlace({ ...watched.state, nextPlace: 1_000 }, watched.now);
      expect(isPaced(state, watched.now)).toBe(true);
      expect(timeOf(state, place)).toBeGreaterThan(watched.now + 2_000);
    });

    test('until it is met: the pace becomes that of what succeeds', () => {
      const watched = risen().for(2_000, { perSecond: 200, refused: 0.5 });
      expect(watched.phase).toBe('paced');
      expect(watched.state.spacingMs * 0.95).toBeCloseTo(1_000 / 100, 0);
    });

    test('if it has not moved after all, the pace is what was borne before it rose', () => {
      const watched = risen();
      const { spacingMs } = watched.state;
      watched.for(2_000, { perSecond: 60, refused: 0.8 });
      expect(watched.phase).toBe('paced');
      expect(watched.state.spacingMs / spacingMs).toBeCloseTo(1.3);
    });

    test('while some are refused all the time, as before a tenant was told apart, it is not noticed', () => {
      const watched = Watched.paced().for(2_200, { perSecond: 40, refused: 0.3 });
      watched.for(3_000, { perSecond: 36, refused: 0.3 }).for(2_000, { perSecond: 24, refused: 0.3 });
      expect(watched.for(9_000, { perSecond: 36, refused: 0.3 }).phase).toBe('borne');
    });
  });

  test('after ten seconds without a queue it is over', () => {
    const watched = Watched.paced();
    watched.now += 10_001;
    watched.judge();
    expect(watched.phase).toBe('free');
  });
});

describe('where everything is refused', () => {
  const refusing = (more: Partial<Lasting> = {}) =>
    new Watched().for(3_000, { perSecond: 100, refused: 1, hintMs: 30_000, ...more });

  test('a trickle goes at spacingMs until the time that the server named, and does not grow', () => {
    const watched = refusing();
    expect(watched.state).toMatchObject({ phase: 'trickle', spacingMs: 100 });
    expect(watched.state.dueAt - watched.now).toBeGreaterThan(30_000);
    expect(spacingBy(watched.state, watched.now + 30_000)).toBeGreaterThan(99);
  });

  test('a later refusal names a later time', () => {
    const watched = refusing();
    const { dueAt } = watched.state;
    watched.for(2_000, { perSecond: 10, refused: 1, hintMs: 60_000 });
    expect(watched.state.dueAt).toBeGreaterThan(dueAt + 25_000);
  });

  test('the first success ends it', () => {
    const watched = refusing().for(5_000, { perSecond: 10, refused: 1, hintMs: 30_000 });
    watched.answer('success');
    watched.judge();
    expect(watched.state).toMatchObject({ phase: 'free', restMs: 10_000 });
  });

  test('a success at the time that the server named proves its word: the next time, thirty in a row are enough', () => {
    const watched = refusing();
    // Many wait.
    watched.state = { ...watched.state, nextPlace: 10_000 };
    const named = watched.state.dueAt - 1_500;
    while (watched.now < named) {
      watched.for(1_000, { perSecond: 10, refused: 1, hintMs: Math.max(1, named - watched.now) });
    }
    watched.answer('success');
    watched.judge();
    expect(watched.phase).toBe('quota');
    watched.for(12_000, { perSecond: 100, refused: 0 });
    expect(watched.phase).toBe('quota');
    watched.for(290, { perSecond: 100, refused: 1, hintMs: 48_000 });
    expect(watched.phase).toBe('quota');
    watched.for(100, { perSecond: 100, refused: 1, hintMs: 48_000 });
    expect(watched.state).toMatchObject({ phase: 'trickle', spacingMs: 100 });
  });

  test('those of a small share may be missing for a second, so it takes two', () => {
    const none = { perSecond: 100, refused: 1 };
    const watched = new Watched().for(1_005, { perSecond: 100, refused: 0.9 });
    watched.for(1_200, none);
    expect(watched.phase).toBe('free');
    watched.for(1_000, none);
    expect(watched.phase).toBe('trickle');
  });

  describe('after the word was kept', () => {
    function kept(): Watched {
      const watched = refusing();
      // Many wait.
      watched.state = { ...watched.state, nextPlace: 10_000 };
      watched.now = watched.state.dueAt - 1_000;
      watched.answer('success');
      watched.judge();
      expect(watched.phase).toBe('quota');
      return watched;
    }

    test('a quota that is spent at once is one, too', () => {
      const watched = kept().for(250, { perSecond: 80, refused: 0 });
      expect(watched.for(500, { perSecond: 100, refused: 1 }).phase).toBe('trickle');
    });

    test('if most are refused again, it was a success of the others: all are let go, for a time that grows', () => {
      const watched = kept().for(2_000, { perSecond: 100, refused: 0.98 });
      expect(watched.state).toMatchObject({ phase: 'free', restMs: 10_000 });
      watched.for(30_000, { perSecond: 100, refused: 1 });
      expect(watched.phase).toBe('trickle');
      watched.answer('success');
      watched.judge();
      expect(watched.state).toMatchObject({ phase: 'free', restMs: 20_000 });
    });
  });

  test('short waits prove nothing', () => {
    const watched = refusing({ hintMs: 1_000 });
    watched.for(1_000, { perSecond: 10, refused: 1, hintMs: 1 });
    watched.answer('success');
    watched.judge();
    expect(watched.phase).toBe('free');
  });

  test('without a time, it is a trial like any other', () => {
    expect(refusing({ hintMs: null }).phase).toBe('trial');
  });
});

test('what is not enforced is not tried either: it counts as if the limit were for all', () => {
  const watched = new Watched({ enforce: false }).for(4_000, { perSecond: 100, refused: 0.6 });
  expect(watched.phase).toBe('paced');
});
