import { beforeAll, describe, expect, test } from 'vitest';
import { demoWith } from '../../../src/tools/cli/commands/demo.js';
import type { ClientModules } from '../../../src/tools/cli/demo/clients.js';
import { castFrom, ownModules } from '../../../src/tools/cli/demo/clients.js';
import { playAll } from '../../../src/tools/cli/demo/play.js';
import type { Scene } from '../../../src/tools/cli/demo/scenes.js';
import { Printer } from '../../../src/tools/cli/printer.js';
import type { Outcome } from './kit.js';
import { undaunted } from './kit.js';

async function gone(): Promise<never> {
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
}

async function broken(): Promise<never> {
  throw new TypeError('it needs a newer one');
}

describe('the demo, for real', () => {
  let outcome: Outcome;
  let scenes: readonly (readonly string[])[];

  beforeAll(async () => {
    outcome = await undaunted(['demo']);
    scenes = outcome.stdout.split(/^(?=\d\. )/m).map((text) => text.trimEnd().split('\n').slice(1));
  }, 60_000);

  test('ends well, and writes plain lines into a pipe', () => {
    const { exitCode, stdout, stderr } = outcome;
    expect([exitCode, stderr]).toEqual([0, '']);
    // Neither colours nor a cursor that moves.
    expect(stdout).toMatch(/^[\n\x20-\x7e]+$/);
    expect(scenes).toHaveLength(8);
  });

  /** Numbers that luck or the machine decide stand for themselves. */
  test.each<[number, string, readonly RegExp[]]>([
    [
      1,
      'fetch',
      [
        /Retry 1 in \d+ ms \(schedule\): the server answered 503 /,
        /Retry 2 in \d+ ms \(schedule\): the server answered 503 /,
        /Succeeded on attempt 3 \(200\)\.$/,
        /^ {3}You get the answer 200\.$/,
      ],
    ],
    [
      2,
      'axios',
      [
        /Retry 1 in 1(\.\d+)? s, as the server asked \(delay-seconds\): the server answered 429 /,
        /Succeeded on attempt 2 \(200\)\.$/,
        /^ {3}You get the answer 200\.$/,
      ],
    ],
    [
      3,
      'fetch',
      [
        /No retry after attempt 1: the server asked for a wait of 30 s .* after the deadline of 10 s\.$/,
        /^ {3}You get the answer 503\.$/,
      ],
    ],
    [
      4,
      'undici',
      [
        /No retry after attempt 1: the attempt failed with UND_ERR_SOCKET, .* the server may have processed it\.$/,
        /^ {3}You get the error UND_ERR_SOCKET: /,
        /^ {3}The server got it once: /,
      ],
    ],
    [
      5,
      'axios',
      [
        /Retry 1 in \d+ ms \(schedule\): the attempt failed with ECONNRESET /,
        /Succeeded on attempt 2 \(201\)\.$/,
        /^ {3}You get the answer 201\.$/,
        /^ {3}The server got it twice, with the same key\.$/,
      ],
    ],
    [
      6,
      'undici',
      [
        /^ {3}Request 1$/,
        /Retry 1 in 200 ms/,
        /No retry after attempt 2: the attempt failed with UND_ERR_SOCKET, and maxRetries is 1\.$/,
        /^ {3}You get the error UND_ERR_SOCKET: /,
        /^ {3}Request 2$/,
        /No retry after attempt 1: the attempt failed with UND_ERR_SOCKET, and the gate of its scope is shut\.$/,
        /^ {3}You get the error UND_ERR_SOCKET: /,
        /^ {3}Request 3$/,
        /^ {3}You get the error ERR_UNDAUNTED_GATE_SHUT: Not sent: /,
        /^ {3}The server got 3 attempts, and none for the third request\.$/,
      ],
    ],
  ])('scene %i, by %s', (number, client, expected) => {
    const [head, ...lines] = scenes[number - 1] ?? [];
    expect(head?.startsWith(`   ${client}, `)).toBe(true);
    expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)));
  });

  test('scene 7 ends at its deadline, whatever the machine has managed until then', () => {
    const lines = scenes[6] ?? [];
    expect(lines.at(-1)).toMatch(/^ {3}You get the error ERR_UNDAUNTED_(DEADLINE|ATTEMPT_TIMEOUT): /);
  });

  test('scene 8 stays within its budget', () => {
    const [, attempts] =
      /^ {3}200 requests, (\d+) attempts: 1\.2\d times/.exec(scenes[7]?.at(-1) ?? '') ?? [];
    expect(Number(attempts)).toBeGreaterThanOrEqual(250);
  });
});

describe('without a client', () => {
  const scene: Scene = {
    title: 'All is well',
    client: 'undici',
    method: 'GET',
    path: '/',
    policy: {},
    script: [{ kind: 'answer', status: 200 }],
    requests: 1,
  };

  test.each<[string, ClientModules, readonly string[], readonly string[]]>([
    ['both are here', ownModules, ['fetch', 'undici', 'axios'], []],
    ['no undici', { ...ownModules, undici: gone }, ['fetch', 'axios'], ['undici is not installed']],
    [
      'no axios that loads',
      { ...ownModules, axios: broken },
      ['fetch', 'undici'],
      [`axios does not load on Node ${process.versions.node} (it needs a newer one)`],
    ],
  ])('%s', async (_, modules, present, missing) => {
    const cast = await castFrom(modules);
    expect(cast.clients.map(({ name }) => name)).toEqual(present);
    expect(cast.missing).toEqual(missing);
  });

  test('fetch plays its part', async () => {
    const { clients } = await castFrom({ undici: gone, axios: gone });
    const lines: string[] = [];
    await playAll([scene], clients, new Printer({ write: (text) => lines.push(text) }, {}));
    expect(lines.join('')).toBe(
      '1. All is well\n   fetch, GET /, with the default policy\n   You get the answer 200.\n\n',
    );
  });

  test('it says who is missing', async () => {
    const commands = [demoWith({ undici: gone, axios: gone }, [scene])];
    const { exitCode, stdout, stderr } = await undaunted(['demo'], { commands });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      'undici is not installed, and axios is not installed: fetch sends those requests.\n\n' +
        '1. All is well\n   fetch, GET /, with the default policy\n   You get the answer 200.\n\n',
    );
  });
});
