/** What users write, compiled as they would: strict, with the declarations of libraries checked. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Client } from './clients.js';
import { run } from './command.js';

type Options = Readonly<Record<string, unknown>>;

export interface Consumer {
  readonly source: string;
  /** What else they have around: libraries and types. */
  readonly ground: Options;
  /** Compiled with it. */
  readonly others?: readonly string[];
}

export interface Manner {
  readonly name: string;
  readonly file: string;
  readonly options: Options;
}

export const manners: readonly [Manner, ...Manner[]] = [
  { name: 'an ES module', file: 'consumer.mts', options: { module: 'nodenext' } },
  { name: 'a CommonJS module', file: 'consumer.cts', options: { module: 'nodenext' } },
  { name: "a CommonJS module by node16's rules", file: 'consumer.cts', options: { module: 'node16' } },
  {
    name: 'a module for a bundler',
    file: 'consumer.mts',
    options: { module: 'esnext', moduleResolution: 'bundler' },
  },
];

/** The oldest supported version. It is not a devDependency: the check that needs it installs it. */
export const oldestTypeScript = '5.4.5';

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
  ground: { types: [] },
};

/** A policy that CommonJS made, in ES modules, by the types: each has declarations of its own. */
export const passedAcross: Consumer = {
  source: `
import { createRetrier, definePolicy, type Policy, type Retrier, type Session } from 'undaunted';
import { attachRetry } from 'undaunted/axios';
import { retry } from 'undaunted/undici';
import axios from 'axios';
import * as made from './maker.cjs';
export const all: { policy: Policy; retrier: Retrier; session: Session } = made;
createRetrier(definePolicy(made.policy));
for (const given of [made.policy, made.retrier, { maxRetries: 1 }]) attachRetry(axios.create(), given);
retry(made.policy);
retry(made.retrier);
`,
  ground: { lib: ['es2023'], types: ['node'] },
  others: ['maker.cts'],
};

/** It sets what one request says for itself, too: axios declares itself twice. */
export const maker = `
import { createRetrier, definePolicy } from 'undaunted';
import { attachRetry } from 'undaunted/axios';
import axios from 'axios';
export const policy = definePolicy({ maxRetries: 2 });
export const retrier = createRetrier(policy);
export const session = retrier.open({ method: 'GET', origin: 'https://a.example', path: '/', keyed: false });
attachRetry(axios.create(), policy);
void axios.get('/', { retry: { maxRetries: 1 } });
`;

/** What is compiled against the sources beside the client's tests, with the imports of a user; no DOM is around. */
export function consumerOf({ name }: Client): Consumer {
  const consumer = readFileSync(`test/adapters/${name}/types/consumer.ts`, 'utf8');
  const source = consumer
    .replace(/'[./]+\/src\/index\.js'/, "'undaunted'")
    .replace(/'[./]+\/src\/adapters\/(\w+)\/index\.js'/, "'undaunted/$1'");
  return { source, ground: { lib: ['es2023'], types: ['node'] } };
}

const strictness: Options = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: 'es2022',
};

/** With the TypeScript that we are built with, or with what is installed in this folder. */
export async function compile(
  { source, ground, others = [] }: Consumer,
  { file, options }: Manner,
  folder: string,
  typescript = resolve('node_modules/typescript/bin/tsc'),
): Promise<void> {
  writeFileSync(join(folder, file), source);
  const compilerOptions = { ...strictness, ...ground, ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file, ...others] }));
  await run('node', [typescript, '-p', '.'], folder);
}
