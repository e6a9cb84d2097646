import { describe, expect, test } from 'vitest';
import type { Contender, Peer, ServerModel } from '../../../src/tools/sim/index.js';
import { peers } from '../../../src/tools/sim/index.js';
import { story, worldOf } from './stories.js';

/** The waits of their sources, at the middle of their dice. */
const waits: readonly [string, Peer, readonly number[]][] = [
  ['axios-retry', peers.axiosRetry, [220, 440, 880]],
  ['undici', peers.undiciRetry, [500, 1_000, 2_000, 4_000, 8_000]],
  ['got', peers.got, [1_050, 2_050]],
  ['ky', peers.ky, [300, 600]],
  ['p-retry', peers.pRetry, [1_000, 2_000, 4_000, 8_000]],
];

describe('what others do', () => {
  test.each(waits)('after a failure: %s', (_, peer, expected) => {
    const found = expected.map((_, index) =>
      peer.wait({ retry: index + 1, hintMs: undefined, previousMs: 0 }, () => 0.5),
    );
    expect(found.map((waitMs) => Math.round(waitMs ?? 0))).toEqual(expected);
  });

  test.each([
    ['axios-retry', peers.axiosRetry, 7_700],
    ['undici', peers.undiciRetry, 7_000],
    ['got', peers.got, 7_000],
    ['ky', peers.ky, 7_000],
    ['p-retry', peers.pRetry, 1_000],
  ])('when they are told to wait for seven seconds: %s', (_, peer, expected) => {
    expect(peer.wait({ retry: 1, hintMs: 7_000, previousMs: 0 }, () => 0.5)).toBeCloseTo(expected);
  });

  test("the article's program begins with the user's thought", () => {
    const dice = [0.5, 0.8];
    const wait = peers.articleProgram.wait(
      { retry: 1, hintMs: undefined, previousMs: 10_000 },
      () => dice.pop() ?? 0.5,
    );
    expect(Math.abs((wait ?? 0) - 27_182.8)).toBeLessThan(400);
  });

  const refusing: ServerModel = { kind: 'scripted', answers: [{ answer: { status: 503 } }] };
  const silent: ServerModel = { kind: 'scripted', answers: [{ answer: 'silence' }] };

  test.each<[string, Contender, number, number]>([
    ['axios-retry', peers.axiosRetry, 4, 1],
    ['undici', peers.undiciRetry, 6, 1],
    ['got', peers.got, 3, 3],
    ['ky', peers.ky, 3, 1],
    ['AWS', peers.awsStandard, 3, 3],
    ['no retry', peers.noRetry, 1, 1],
    ['three retries', peers.threeRetries, 4, 4],
  ])('how often they try: %s', (_, contender, after503, afterSilence) => {
    const sent = (server: ServerModel): number =>
      story({ ...worldOf(server), durationMs: 60_000 }, contender).filter((line) => line.endsWith(' sent'))
        .length;
    expect(sent(refusing)).toBe(after503);
    expect(sent(silent)).toBe(afterSilence);
  });

  test('give up, where they say so', () => {
    const quitter: Peer = { ...peers.got, wait: () => undefined };
    expect(story(worldOf(refusing), quitter)).toEqual(['0 sent', '0 503', '0 failed']);
  });
});
