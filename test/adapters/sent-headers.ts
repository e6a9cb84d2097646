/** Headers of our own, as they arrive. */

import { answer, rst } from '../faults/plays.js';
import { openLab } from './kit.js';

/** The form of a generated key. */
export const uuid: RegExp = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The header's value in each of three attempts: two that fail, and one that succeeds. */
export async function sentThrice(
  name: string,
  request: (origin: string) => Promise<unknown>,
): Promise<(string | undefined)[]> {
  const lab = await openLab([answer(503), rst(), answer(200)]);
  await request(lab.origin);
  return lab.requests.map(({ headers }) => headers[name]);
}
