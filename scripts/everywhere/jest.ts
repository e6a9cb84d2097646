/** Jest loads CommonJS, even where Node could load ES modules: plain, and with each common transform. */

import { run } from '../command.js';
import { axiosGuest, type Check, clients, fetchGuest, undiciGuest } from './check.js';

const test = `
import { expect, test } from '@jest/globals';
import { askAxios } from './axios-guest';
import { askFetch } from './fetch-guest';
import { askUndici } from './undici-guest';

const server: string = process.env['SERVER'] ?? '';

test('axios', async () => {
  expect(await askAxios(server)).toBe('200 after 2');
});

test('fetch', async () => {
  expect(await askFetch(server)).toBe('200 after 2');
});

test('undici', async () => {
  expect(await askUndici(server)).toBe('200 after 2');
});
`;

interface Transform {
  readonly by: string;
  readonly packages: readonly string[];
  readonly uses: unknown;
  readonly files?: Readonly<Record<string, string>>;
}

/** CommonJS by the rules of node16, with types checked: it failed while the package had only ES modules. */
const compilerOptions = {
  target: 'es2022',
  module: 'node16',
  esModuleInterop: true,
  allowJs: true,
  skipLibCheck: true,
  types: ['node'],
};

const transforms: readonly Transform[] = [
  {
    by: 'ts-jest',
    packages: ['ts-jest@29.4.15', 'typescript@5.9.3', '@types/node@20.19.43'],
    uses: ['ts-jest', { tsconfig: 'tsconfig.json' }],
    files: { 'tsconfig.json': JSON.stringify({ compilerOptions }) },
  },
  {
    by: 'babel-jest',
    packages: ['@babel/core@7.29.0', '@babel/preset-env@7.29.0', '@babel/preset-typescript@7.28.5'],
    uses: 'babel-jest',
    files: {
      'babel.config.json': JSON.stringify({
        presets: [['@babel/preset-env', { targets: { node: '20' } }], '@babel/preset-typescript'],
      }),
    },
  },
  { by: 'swc', packages: ['@swc/core@1.16.22', '@swc/jest@0.2.39'], uses: '@swc/jest' },
];

const versions = { 29: '29.7.0', 30: '30.4.2' } as const;

export const jest: readonly Check[] = Object.entries(versions).flatMap(([major, version]) =>
  transforms.map(({ by, packages, uses, files }) => ({
    name: `jest-${major}-${by}`,
    proves: `axios, fetch and undici in Jest ${major}, transformed by ${by}`,
    guests: 3,
    packages: [`jest@${version}`, ...packages, clients.axios, clients.undici],
    files: {
      'axios-guest.js': axiosGuest,
      'fetch-guest.js': fetchGuest,
      'undici-guest.js': undiciGuest,
      'retry.test.ts': test,
      'jest.config.json': JSON.stringify({ testEnvironment: 'node', transform: { '\\.[jt]s$': uses } }),
      ...files,
    },
    async run(place, server) {
      await run('npx', ['--no-install', 'jest', '--ci'], place, { ...process.env, SERVER: server });
    },
  })),
);
