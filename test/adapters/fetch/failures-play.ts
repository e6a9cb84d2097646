/** The failures of undici's tests as its fetch reports them, and why others are not played. */

import { expect } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { type Failures, final } from '../failure-rows.js';
import { settled, soon } from '../kit.js';
import { failures as byUndici } from '../undici/failures-play.js';
import { scenes as ofUndici, type Scene } from '../undici/failures-scenes.js';
import { undiciFetch, withCodes } from './client.js';

const whereItGoes = 'the address says where a request goes, and fetch knows no paths beside it';
const handedOver = 'it comes in the body, which the caller has by then';

/** Rows for which fetch reports something else, or nothing. */
const others: Readonly<Record<string, string>> = {
  '(any) with onRequestStart NOT yet called': 'fetch does not tell when a request begins',
  UND_ERR_BODY_TIMEOUT: handedOver,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: handedOver,
};

/** Failures of which fetch shows less, or which it reports differently. */
const unlike: Readonly<Record<string, Partial<Scene> & { readonly unlike: string }>> = {
  "an address that is not this host's": {
    evidence: 'unknown',
    unlike: 'the system call that failed is not `connect`',
  },
  'no HTTP': { error: /^(TypeError|HPE_INVALID_CONSTANT)$/, unlike: 'some have no code' },
  '502': { error: 'TypeError', unlike: 'fetch has a text of its own for it' },
  '407': { error: 'TypeError', evidence: 'unsent', unlike: 'fetch has a text of its own for it' },
  "undici's responseError() underneath makes an error of an answer": {
    ...final,
    unlike: 'fetch keeps the answer that it is about',
  },
};

/** fetch forbids its port, or never sends such a request. */
const impossible =
  /^(that disowns a stream which undici cannot send again itself|broadcast|an invalid path|a body that is not as long as it says|headers that undici sends itself)$/;

function sceneOf(scene: Scene): Scene[] {
  if (scene.inBody === true || impossible.test(scene.name)) return [];
  const { neverBegan, ...rest } = scene;
  const isFinal = scene.class === 'final' && neverBegan;
  const known = isFinal ? ({ evidence: 'unknown', unlike: 'it is final anyway' } as const) : {};
  return [{ ...rest, ...known, ...unlike[scene.name] }];
}

const scenes: Failures<Scene>['scenes'] = Object.fromEntries(
  Object.entries(ofUndici).flatMap(([row, some]) => {
    const ours = some.flatMap(sceneOf);
    return row in others || ours.length === 0 ? [] : [[row, ours] as const];
  }),
);

const notMade: Readonly<Record<string, string>> = {
  ...byUndici.notMade,
  ...Object.fromEntries(
    Object.keys(ofUndici).flatMap((row) => (row in scenes ? [] : [[row, others[row] ?? whereItGoes]])),
  ),
};

const play: Failures<Scene>['play'] = async ({ make }, method) => {
  const { dispatcher, origin, options, before, afterwards } = await make();
  const body = method === 'GET' ? {} : { body: 'pay' };
  before?.();
  const given: unknown[] = [];
  const watched: typeof fetch = (...asked) =>
    undiciFetch(...asked).catch((error: unknown) => {
      given.push(error);
      throw error;
    });
  const doFetch = withCodes(withRetry(watched, { ...soon, maxRetries: 1 }) as typeof fetch);
  const asked = settled(
    doFetch(origin, { ...body, ...options, method, dispatcher, duplex: 'half' } as object),
  );
  await afterwards?.();
  const { error } = await asked;
  // The caller gets the very error that fetch gave last.
  const expectOwn = (): void => expect(error).toBe(given.at(-1));
  return { error, expectOwn };
};

export const failures: Failures<Scene> = { scenes, notMade, play };
