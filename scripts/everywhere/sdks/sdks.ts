/** The SDKs with a recipe in docs/sdks.md, each with the tested version. */

export interface Sdk {
  /** The package that its recipe imports. */
  readonly name: string;
  readonly packages: readonly string[];
  /** Sends one request through the recipe's export; its `id` is part of the answer. */
  readonly call: string;
  /** The same, for SDKs that do not repeat a request with a body. */
  readonly callWithTheirs?: string;
  /** The final answer of the server. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** The part of the recipe that switches the SDK's retries off. Undefined: it has none. */
  readonly switch?: string;
  /** Attempts of one call while the server always answers 503, with the SDK's default retries on top of ours. */
  readonly requestsWithTheirs: number;
  /** The address of the server in the recipe; undefined: wherever fetch sends it. */
  readonly address?: string;
}

export const sdks: readonly Sdk[] = [
  {
    name: 'openai',
    packages: ['openai@7.57.0'],
    call: "openai.responses.create({ model: 'any', input: 'Hello' })",
    answer: { id: 'done', output: [] },
    switch: ', maxRetries: 0',
    // (1 + 2) * (1 + 6)
    requestsWithTheirs: 21,
  },
  {
    name: '@anthropic-ai/sdk',
    packages: ['@anthropic-ai/sdk@1.12.0'],
    call: "anthropic.messages.create({ model: 'any', max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] })",
    answer: { id: 'done', content: [] },
    switch: ', maxRetries: 0',
    // (1 + 2) * (1 + 6)
    requestsWithTheirs: 21,
  },
  {
    name: '@octokit/rest',
    packages: ['@octokit/rest@22.0.1'],
    call: `octokit
  .request('PUT /repos/{owner}/{repo}/topics', { owner: 'a', repo: 'b', names: ['c'] })
  .then(({ data }) => ({ id: (data as unknown as { id: string }).id }))`,
    answer: { id: 'done' },
    requestsWithTheirs: 4,
  },
  {
    name: 'stripe',
    packages: ['stripe@23.1.0'],
    call: "stripe.customers.create({ email: 'a@example.com' })",
    answer: { id: 'done', object: 'customer' },
    switch: ',\n  maxNetworkRetries: 0',
    // (1 + 2) * (1 + 3)
    requestsWithTheirs: 12,
  },
  {
    name: 'graphql-request',
    packages: ['graphql-request@7.4.0', 'graphql@16.15.0'],
    call: "graphql.request<{ id: string }>('query ($of: ID) { id(of: $of) }', { of: 1 })",
    answer: { data: { id: 'done' } },
    requestsWithTheirs: 4,
  },
  {
    name: 'ky',
    packages: ['ky@2.1.0'],
    call: "api.put('https://api.example.com/things/1', { json: { name: 'a' } }).json<{ id: string }>()",
    answer: { id: 'done' },
    switch: ', retry: 0',
    // (1 + 2) * (1 + 3)
    requestsWithTheirs: 12,
  },
  {
    name: 'ofetch',
    packages: ['ofetch@1.5.1'],
    call: "api<{ id: string }>('https://api.example.com/things/1', { method: 'PUT', body: { name: 'a' } })",
    callWithTheirs: "api<{ id: string }>('https://api.example.com/things/1')",
    answer: { id: 'done' },
    switch: ',\n  defaults: { retry: false }',
    // (1 + 1) * (1 + 3)
    requestsWithTheirs: 8,
  },
  {
    name: '@elastic/elasticsearch',
    packages: ['@elastic/elasticsearch@9.5.1', 'undici@7.30.2'],
    call: `elastic
  .search({ index: 'things', query: { match_all: {} } })
  .then((found) => ({ id: (found as unknown as { id: string }).id }))`,
    answer: { id: 'done' },
    switch: ',\n  maxRetries: 0',
    // (1 + 3) * (1 + 3)
    requestsWithTheirs: 16,
    address: 'https://search.example.com',
  },
];

const blocks = /^```ts\n([\s\S]*?)^```$/gm;

/** The block of docs/sdks.md that imports the SDK. */
export function recipeOf({ name }: Sdk, text: string): string {
  const found = [...text.matchAll(blocks)].map((match) => match[1] ?? '').filter((code) => isFor(name, code));
  const [recipe, ...others] = found;
  if (recipe === undefined || others.length > 0) {
    throw new Error(`docs/sdks.md should have one block that imports '${name}'; it has ${found.length}`);
  }
  return recipe;
}

/**
 * A block that imports an SDK or a framework is run only where that is installed: by `npm run test:everywhere -- sdk`, or
 * `-- nest`.
 */
export function isRecipe(code: string): boolean {
  return [...sdks.map(({ name }) => name), '@nestjs/axios'].some((name) => isFor(name, code));
}

function isFor(name: string, code: string): boolean {
  return code.includes(` from '${name}'`);
}
