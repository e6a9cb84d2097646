/** Bundles run and hold only one copy, although one part of the program imports us and another requires us. */

import { run } from '../command.js';
import { axiosGuest, type Check, clients, expectAnswers, fetchGuest, undiciGuest } from './check.js';

/** The files that all bundlers share. */
const program = {
  'axios-guest.mjs': axiosGuest,
  'fetch-guest.mjs': fetchGuest,
  'undici-guest.mjs': undiciGuest,
  'requires.cjs': "module.exports = require('undaunted');",
  'main.mjs': `
import { definePolicy } from 'undaunted';
import { askAxios } from './axios-guest.mjs';
import { askFetch } from './fetch-guest.mjs';
import { askUndici } from './undici-guest.mjs';
import required from './requires.cjs';

if (required.definePolicy !== definePolicy) throw new Error('there are two copies');
const server = process.env.SERVER;
console.log(await askAxios(server), await askFetch(server), await askUndici(server));
`,
};

interface Bundler {
  readonly name: string;
  readonly version: string;
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** The clients stay external: whether they can be bundled is not tested here. */
const bundlers: readonly Bundler[] = [
  {
    name: 'esbuild',
    version: '0.28.2',
    packages: [],
    files: {},
    command:
      'esbuild main.mjs --bundle --platform=node --format=esm --external:axios --external:undici --outfile=out/main.mjs'.split(
        ' ',
      ),
  },
  {
    name: 'rollup',
    version: '4.68.7',
    packages: ['@rollup/plugin-node-resolve@16.0.3', '@rollup/plugin-commonjs@29.0.0'],
    files: {
      'rollup.config.mjs': `
import commonjs from '@rollup/plugin-commonjs';
import resolve from '@rollup/plugin-node-resolve';
export default {
  input: 'main.mjs',
  external: [/^node:/, 'axios', 'undici'],
  plugins: [resolve(), commonjs()],
  output: { file: 'out/main.mjs', format: 'esm', inlineDynamicImports: true },
};
`,
    },
    command: ['rollup', '--config'],
  },
  {
    name: 'vite',
    version: '7.2.4',
    packages: [],
    files: {
      'vite.config.mjs': `
export default {
  build: { ssr: 'main.mjs', outDir: 'out', target: 'node20', rollupOptions: { output: { entryFileNames: 'main.mjs' } } },
  ssr: { noExternal: ['undaunted'] },
};
`,
    },
    command: ['vite', 'build'],
  },
  {
    name: 'webpack',
    version: '5.112.2',
    packages: ['webpack-cli@6.0.1'],
    files: {
      'webpack.config.mjs': `
export default {
  mode: 'production',
  target: 'node20',
  entry: './main.mjs',
  experiments: { outputModule: true },
  externals: { axios: 'module axios', undici: 'module undici' },
  output: { path: import.meta.dirname + '/out', filename: 'main.mjs', module: true, chunkFormat: 'module' },
};
`,
    },
    command: ['webpack'],
  },
];

export const bundled: readonly Check[] = bundlers.map(({ name, version, packages, files, command }) => ({
  name,
  proves: `axios, fetch and undici, bundled by ${name} ${version}, run in one copy`,
  guests: 3,
  packages: [`${name}@${version}`, ...packages, clients.axios, clients.undici],
  files: { ...program, ...files },
  async run(place, server) {
    await run('npx', ['--no-install', ...command], place);
    expectAnswers(await run('node', ['out/main.mjs'], place, { ...process.env, SERVER: server }), 3);
  },
}));
