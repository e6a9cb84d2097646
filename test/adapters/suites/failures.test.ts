/**
 * Every row of the fixture that can be made on loopback with this client is played; for the others there is a reason.
 */

import { describe, expect, test } from 'vitest';
import { historyOf } from '../../../src/index.js';
import { type FailureScene, rows } from '../failure-rows.js';
import { theSubject } from './subject.js';

const subject = await theSubject();
const { notMade, play, scenes } = await subject.failures();

test('each row is played or has a reason not to be, and nothing else is played', () => {
  const known = [...Object.keys(scenes), ...Object.keys(notMade)].sort();
  expect(known).toEqual(rows.map(({ code }) => code).sort());
  expect(Object.values(notMade)).not.toContain('');
});

/** Rows that describe it in words ("as its status") leave it to the scene. */
test.each(rows.filter(({ code }) => code in scenes))(
  'the expectation is that of the fixture: $code',
  (row) => {
    for (const scene of scenes[row.code] ?? []) {
      if (scene.unlike !== undefined) continue;
      if (['transient', 'final'].includes(row.class)) expect(scene.class, scene.name).toBe(row.class);
      if (scene.neverBegan) expect(scene.evidence, scene.name).toBe('unsent');
      else if (['unsent', 'unknown'].includes(row.evidence))
        expect(scene.evidence, scene.name).toBe(row.evidence);
    }
  },
);

function isWorthIt({ class: found, evidence, inBody }: FailureScene<unknown>, method: string): boolean {
  return found !== 'final' && inBody !== true && (method !== 'POST' || evidence !== 'unknown');
}

const all = Object.entries(scenes).flatMap(([row, some]) => some.map((scene) => ({ row, ...scene })));

describe.each(all)('$row: $name', (scene) => {
  async function expectAsSaid(method: string): Promise<void> {
    const { error, expectOwn } = await play(scene, method);
    const { code, name } = error as Error & { code?: unknown };
    const history = historyOf(error) ?? [];
    const isUnproven = method === 'POST' && scene.atOnce === true;
    const finding = { class: scene.class, evidence: isUnproven ? 'unknown' : scene.evidence };
    const isRetried = isWorthIt(scene, method);

    expect(typeof code === 'string' ? code : name).toMatch(scene.error);
    expect(history.map(({ decision }) => decision.finding)).toMatchObject(
      isRetried ? [finding, finding] : [finding],
    );
    expect(history.at(-1)?.decision.action).toBe('stop');
    expectOwn(isRetried);
  }

  const methods = [scene.method ?? 'GET', 'POST'];
  // Both at once, since some clients' timeouts take a second each.
  test.skipIf(scene.missing)(`${methods.join(' and ')} ${scene.missing || ''}`, async () => {
    await Promise.all(methods.map(expectAsSaid));
  });
});
