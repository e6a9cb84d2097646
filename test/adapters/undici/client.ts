/**
 * The undici under test: that of the folder which UNDICI_UNDER_TEST names (`npm run test:matrix` sets it), or
 * else the devDependency. The tests of this folder import undici only from here, and types alone from
 * 'undici': a test with its own import would meet the same version in every run of the matrix.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';

const folder = process.env['UNDICI_UNDER_TEST'];
const load = createRequire(folder === undefined ? import.meta.url : join(folder, 'package.json'));

/** Typed as the devDependency; a test must check for features that other versions have or lack. */
export const undici: typeof import('undici') = load('undici');
export const version: string = load('undici/package.json').version;
export const major = majorOf(version);

/** Of undici 7, whose minor versions differ most. */
const minorOf7 = major === 7 ? Number(version.split('.')[1]) : undefined;

/** undici 8.13 refuses a request whose signal has aborted; before, it was dispatched and then aborted. */
export const dispatchesAborted = major < 8 || (major === 8 && Number(version.split('.')[1]) < 13);

/** undici 7 shows whose a request is that had to wait for a connection only from here on. */
export const showsQueued = minorOf7 === undefined || minorOf7 >= 25;

/** The undici inside Node, of which the global `fetch` is made, whatever undici is installed. */
export const builtIn = {
  version: process.versions['undici'] ?? '',
  major: majorOf(process.versions['undici']),
};

/**
 * Whether Node's own `fetch` obeys `undici.setGlobalDispatcher()`. Built-in undici 8 reads a global of its own, which
 * undici sets from 7.27 on; an older undici sets another one, which the built-in one never reads.
 */
export const globalReachesBuiltIn =
  builtIn.major < 8 || major > 7 || (minorOf7 !== undefined && minorOf7 >= 27);

/**
 * Whether Node's own `fetch` can use an agent of the undici under test: undici 8 speaks the second generation of callbacks
 * alone, 7 both, and 6 the first alone.
 */
export const builtInSpeaksTo: boolean = major === 7 || (major === 8) === (builtIn.major === 8);

/** The oldest supported version of each major. */
export const isFirst6 = version.startsWith('6.17.');
export const isFirst7 = version.startsWith('7.0.');

/** Whether it looks at an idle connection before it writes, so that it is proven that nothing left. */
export const checksIdle = !isFirst6 && (minorOf7 === undefined || minorOf7 >= 28);

/** From 7.1 to 7.12, a refused connection makes undici's own `dump` throw, and the request never ends. */
export const dumpHangs = minorOf7 !== undefined && minorOf7 >= 1 && minorOf7 < 13;

/** If every object can be iterated over, undici 6 and 7 before 7.23 take it for a list of pairs, and send none of its headers. */
export const readsIterableHeaders = major === 8 || (minorOf7 !== undefined && minorOf7 >= 23);

function majorOf(text = ''): 6 | 7 | 8 {
  const found = Number(text.split('.')[0]);
  if (found !== 6 && found !== 7 && found !== 8) throw new Error(`no undici that is known here: '${text}'`);
  return found;
}
