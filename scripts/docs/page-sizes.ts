/** What a page carries with each part, minified and gzipped: bundled anew by `npm run docs`, and held by a test to half a kB. */

import { bundle, type Choice, choices, pageWith } from '../../bench/bundling.js';

type Client = 'fetch' | 'axios';

export interface SizedPage {
  /** How the table names it. */
  readonly row: string;
  readonly codeFor: (client: Client) => string;
}

const usual: readonly Choice[] = ['rules', 'streams'];

export const sizedPages: readonly SizedPage[] = [
  { row: 'the essentials alone', codeFor: (client) => pageWith(client, []) },
  { row: `and ${named(usual)}: what a page usually needs`, codeFor: (client) => pageWith(client, usual) },
  ...(Object.keys(choices) as Choice[]).map((choice) => ({
    row: `and ${named([choice])}`,
    codeFor: (client: Client) => pageWith(client, [choice]),
  })),
  { row: 'everything: the full entry', codeFor: (client) => `export * from 'undaunted/${client}';` },
];

function named(chosen: readonly Choice[]): string {
  return chosen
    .flatMap((choice): readonly string[] => choices[choice])
    .map((value) => `\`${value}\``)
    .join(', ');
}

export async function pageSizes(): Promise<string> {
  const lines = [
    '| in a page, minified and gzipped | `light/fetch` | `light/axios` |',
    '| --- | --- | --- |',
  ];
  for (const { row, codeFor } of sizedPages) {
    const [fetch, axios] = [await bundle(codeFor('fetch')), await bundle(codeFor('axios'))];
    lines.push(`| ${row} | ${fetch.gzipped.toFixed(1)} kB | ${axios.gzipped.toFixed(1)} kB |`);
  }
  return lines.join('\n');
}

/** What the table in a page says, in kB. */
export function saidSizes(text: string, { row }: SizedPage): Readonly<Record<Client, number>> {
  const line = text.split('\n').find((one) => one.startsWith(`| ${row} | `)) ?? '';
  const [fetch = Number.NaN, axios = Number.NaN] = [...line.matchAll(/ ([\d.]+) kB \|/g)].map(([, size]) =>
    Number(size),
  );
  return { fetch, axios };
}
