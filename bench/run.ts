/**
 * Prints one table. Every figure of the README that names this command comes from here.
 *
 *   npm run bench              all of it, on this Node with the undici that is installed
 *   npm run bench -- axios      what is about axios
 *   npm run bench -- 24 8      what is about undici, on that Node with that undici
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestOf, Versions } from '../scripts/versions.js';
import { benchAxiosOverhead } from './axios-overhead.js';
import { benchAxiosWaiting } from './axios-waiting.js';
import { benchDeciding } from './deciding.js';
import { benchMatching } from './matching.js';
import type { Row } from './measure.js';
import { benchSimulating } from './simulating.js';
import { benchSucceeding } from './succeeding.js';
import { benchUndiciOverhead } from './undici-overhead.js';
import { benchUndiciSockets } from './undici-sockets.js';

type Part = () => readonly Row[] | Promise<readonly Row[]>;

const undiciParts: readonly Part[] = [benchUndiciOverhead, benchUndiciSockets];
const axiosParts: readonly Part[] = [benchAxiosOverhead, benchAxiosWaiting];
const coreParts: readonly Part[] = [benchDeciding, benchSucceeding, benchMatching, benchSimulating];

async function print(parts: readonly Part[]): Promise<void> {
  const rows: Row[] = [];
  for (const part of parts) rows.push(...(await part()));
  const width = Math.max(...rows.map(({ name }) => name.length));
  console.log(`Node ${process.version}, ${process.arch}\n`);
  for (const { name, value, note = '' } of rows) {
    console.log(`${name.padEnd(width)}  ${value.padStart(16)}  ${note}`);
  }
}

async function printOn(node: string, undici: string): Promise<void> {
  const versions = new Versions(mkdtempSync(join(tmpdir(), 'bench-')));
  try {
    await Promise.all([versions.install('node', node), versions.install('undici', undici)]);
    const { version } = manifestOf('undici', versions.folderOf('undici', undici));
    console.log(`undici ${version}`);
    const [script = ''] = process.argv.slice(1);
    const child = spawn(versions.nodeBinary(node), [...process.execArgv, script, '--undici'], {
      stdio: 'inherit',
      env: { ...process.env, UNDICI_UNDER_TEST: versions.folderOf('undici', undici) },
    });
    const [code] = await once(child, 'exit');
    process.exitCode = Number(code ?? 1);
  } finally {
    rmSync(versions.scratch, { recursive: true });
  }
}

const [first, second] = process.argv.slice(2);
if (first === '--undici') await print(undiciParts);
else if (first === 'axios') await print(axiosParts);
else if (first === undefined || second === undefined)
  await print([...undiciParts, ...axiosParts, ...coreParts]);
else await printOn(first, second);
