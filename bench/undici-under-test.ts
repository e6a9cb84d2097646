/** The undici of this run: the installed one, or the one in the folder that UNDICI_UNDER_TEST names. */

import { createRequire } from 'node:module';

const folder: string = process.env['UNDICI_UNDER_TEST'] ?? process.cwd();
const load: NodeJS.Require = createRequire(`${folder}/package.json`);

export const undici: typeof import('undici') = load('undici');
export const undiciVersion: string = load('undici/package.json').version;
