/** The package that this program is a part of, found by its name, wherever the build has put this file. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly version: string;
  readonly description: string;
}

const load = createRequire(import.meta.url);
const ownManifest = 'undaunted/package.json';

export function manifest(): Manifest {
  return load(ownManifest) as Manifest;
}

/** The file to start another process of it. */
export function programFile(): string {
  return installed('dist/cli.js');
}

/** The page of reports and of the lab, without its data. */
export function readTemplate(): Promise<string> {
  return readFile(installed('dist/page.html'), 'utf8');
}

function installed(path: string): string {
  return join(dirname(load.resolve(ownManifest)), path);
}
