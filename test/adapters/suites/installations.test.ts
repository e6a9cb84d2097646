/** Retries that are installed anew for every request share nothing: one warning says so. */

import { expect, test, vi } from 'vitest';
import { answer } from '../../faults/plays.js';
import { openLab } from '../kit.js';
import { theSubject } from './subject.js';

const { client } = await theSubject();

test('an installation for each of 220 requests causes one warning; one for all of them, none', async () => {
  const lab = await openLab(answer(200));
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const told = (): string[] =>
    warned.mock.calls.map(([warning]) => String(warning)).filter((text) => text.includes('in a row'));
  const once = client({ maxRetries: 1 });
  for (let index = 0; index < 220; index += 1) await once(lab.origin);
  expect(told()).toEqual([]);
  for (let index = 0; index < 220; index += 1) await client({ maxRetries: 1 })(lab.origin);
  expect(told()).toEqual([expect.stringContaining(`sent one request each to ${lab.origin}.`)]);
  warned.mockRestore();
});
