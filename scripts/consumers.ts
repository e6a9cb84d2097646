/** What users write, compiled as they would: strict, with the declarations of libraries checked. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Client } from './clients.js';
import { run } from './command.js';

export interface Consumer {
  readonly source: string;
  /** What else they have around: libraries and types. */
  readonly ground: readonly string[];
}

export interface Manner {
  readonly name: string;
  readonly file: string;
  readonly options: readonly string[];
}

export const manners: readonly [Manner, ...Manner[]] = [
  { name: 'an ES module', file: 'consumer.mts', options: ['--module', 'nodenext'] },
  { name: 'a CommonJS module', file: 'consumer.cts', options: ['--module', 'nodenext'] },
  {
    name: 'a module for a bundler',
    file: 'consumer.mts',
    options: ['--module', 'esnext', '--moduleResolution', 'bundler'],
  },
];

/** The main types, and a misspelt option that must not compile; nothing of Node is around. */
export const coreConsumer: Consumer = {
  source: `
import { definePolicy, createRetrier, explain, readHint, type Decision, type PolicyOptions } from 'undaunted';
const options: PolicyOptions = { maxRetries: 3, rules: [{ match: 'GET /health', retry: false }] };
const session = createRetrier(definePolicy(options)).open({ method: 'GET', origin: 'https://a.example', path: '/', keyed: false });
const decision: Decision = session.next({ kind: 'response', status: 503, headers: {} }, { replayable: true });
const sentence: string = explain(decision);
readHint({ status: 429, headers: { 'retry-after': '1' } }, { hints: 'common', date: 0 });
// @ts-expect-error: a misspelt option
definePolicy({ maxRetrys: 3 });
export { sentence };
`,
  ground: ['--types', ''],
};

/** What is compiled against the sources beside the client's tests, with the imports of a user; no DOM is around. */
export function consumerOf({ name }: Client): Consumer {
  const consumer = readFileSync(`test/adapters/${name}/types/consumer.ts`, 'utf8');
  const source = consumer
    .replace(/'[./]+\/src\/index\.js'/, "'undaunted'")
    .replace(/'[./]+\/src\/adapters\/(\w+)\/index\.js'/, "'undaunted/$1'");
  return { source, ground: ['--lib', 'es2023', '--types', 'node'] };
}

const strictness =
  '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false --target es2023'.split(' ');

export async function compile({ source, ground }: Consumer, manner: Manner, folder: string): Promise<void> {
  writeFileSync(join(folder, manner.file), source);
  await run(
    resolve('node_modules/.bin/tsc'),
    [...strictness, ...ground, ...manner.options, manner.file],
    folder,
  );
}
