/** undici is the user's own: without it, the other commands work. */

import { Failure } from './failure.js';

export type Undici = typeof import('undici');

export async function loadUndici(): Promise<Undici> {
  try {
    return await import('undici');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND') throw new Failure('this command needs undici: npm install undici');
    throw new Failure(`undici does not load on Node ${process.versions.node}: ${message}.`);
  }
}
