/**
 * SDKs with our fetch: the recipes of docs/sdks.md, compiled and run with the real packages, while a server counts the
 * requests. None of them reaches the network.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from '../../command.js';
import { nodeTypes } from '../../versions.js';
import type { Check } from '../check.js';
import { recipeOf, type Sdk, sdks } from './sdks.js';
import { type Asked, serve } from './server.js';

/** One for each SDK: `npm run test:everywhere -- sdk`, or `-- sdk-openai`. */
export const sdkChecks: readonly Check[] = sdks.map((sdk) => ({
  name: `sdk-${sdk.name.replace(/^@|\/.*$/g, '')}`,
  proves: `${sdk.packages[0]} by the recipe of docs/sdks.md: the same bytes in each attempt; ${theirs(sdk)}`,
  // Some SDKs need a newer Node than we do; this one runs TypeScript directly.
  packages: ['node@24.21.0', nodeTypes(), ...sdk.packages],
  files: {},
  async run(place) {
    await checkRecipe(sdk, place);
    await checkTheirs(sdk, place);
  },
}));

function theirs({ switch: off, requestsWithTheirs }: Sdk): string {
  if (off === undefined) return 'it has no retries of its own';
  return `with its own retries left on, ${requestsWithTheirs} requests of one`;
}

/** With the SDK's retries off: a request that is refused twice is sent three times, each time with the same bytes. */
async function checkRecipe(sdk: Sdk, place: string): Promise<void> {
  const statuses = [429, 503, 200];
  await using server = await serve(statuses, sdk.answer);
  const recipe = recipeOf(sdk, readFileSync('docs/sdks.md', 'utf8'));
  const project = write(sdk, recipe, sdk.call, server.url, join(place, 'theirs-off'));
  await run('node', [resolve('node_modules/typescript/bin/tsc'), '-p', '.'], project);
  const printed = await callFrom(project, server.url);
  assert(printed.trim() === 'done', `the call has ended with ${printed}`);
  assertCount(server.asked, statuses.length);
  assert(server.asked[0]?.body !== '', 'there should be a body to repeat');
}

/** With the SDK's retries on, as without the recipe's switch: the retries multiply. */
async function checkTheirs(sdk: Sdk, place: string): Promise<void> {
  await using server = await serve([503], {});
  const written = recipeOf(sdk, readFileSync('docs/sdks.md', 'utf8'));
  assert(sdk.switch === undefined || written.includes(sdk.switch), `the recipe does not have ${sdk.switch}`);
  const recipe = sdk.switch === undefined ? written : written.replace(sdk.switch, '');
  const call = sdk.callWithTheirs ?? sdk.call;
  const project = write(sdk, recipe, call, server.url, join(place, 'theirs-on'));
  const outcome = await callFrom(project, server.url).catch((error: Error) => error.message);
  assert(/\b503\b|come again/.test(outcome), `the SDK does not tell the server's answer: ${outcome}`);
  assertCount(server.asked, sdk.requestsWithTheirs);
}

function write(sdk: Sdk, recipe: string, call: string, url: string, project: string): string {
  const exported = /export const (\w+)/.exec(recipe)?.[1];
  mkdirSync(project, { recursive: true });
  const files = {
    'recipe.mts': sdk.address === undefined ? recipe : recipe.replace(sdk.address, url),
    'call.mts': `import { ${exported} } from './recipe.mts';\nconst { id } = await ${call};\nconsole.log(id);\n`,
    'elsewhere.mjs': elsewhere,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['call.mts'] }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  return project;
}

/** The declarations of the SDKs are not checked here. */
const compilerOptions = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  allowImportingTsExtensions: true,
};

/** Everything that fetch sends goes to the server of the test, because SDKs have addresses of their own. */
const elsewhere = `
await fetch('data:,'); // Node makes its dispatcher with the first request
const place = Symbol.for('undici.globalDispatcher.1');
const own = globalThis[place];
const dispatch = (options, handler) => own.dispatch({ ...options, origin: process.env.SERVER }, handler);
globalThis[place] = new Proxy(own, { get: (from, key) => (key === 'dispatch' ? dispatch : Reflect.get(from, key)) });
`;

function callFrom(project: string, url: string): Promise<string> {
  const keys = { OPENAI_API_KEY: 'key', ANTHROPIC_API_KEY: 'key', STRIPE_API_KEY: 'key' };
  const { PATH } = process.env;
  const node = join(project, '../node_modules/node/bin/node');
  return run(node, ['--import', './elsewhere.mjs', 'call.mts'], project, { PATH, ...keys, SERVER: url });
}

function assertCount(asked: readonly Asked[], expected: number): void {
  const different = new Set(asked.map((one) => JSON.stringify(one)));
  assert(
    asked.length === expected,
    `${asked.length} requests and not ${expected}: ${[...different].join('\n')}`,
  );
  assert(different.size === 1, `the requests differ: ${[...different].join('\n')}`);
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
