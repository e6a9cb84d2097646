/** NestJS: the recipe of docs/recipes.md with its HttpModule, in an application that gets a request. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { run } from '../command.js';
import { nodeTypes } from '../versions.js';
import { type Check, clients, expectAnswers } from './check.js';

/** The first block of the recipe, which asks the server of the check. */
function recipe(): string {
  const [, code = ''] =
    /\n## NestJS\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(readFileSync('docs/recipes.md', 'utf8')) ?? [];
  const asking = code.replace("'https://api.example.com'", "process.env['SERVER'] ?? ''");
  if (!asking.includes('SERVER'))
    throw new Error('the recipe for NestJS is not in docs/recipes.md, or asks no server');
  return asking;
}

const main = `
import 'reflect-metadata';
import { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import { historyOf } from 'undaunted';
import { ThingsModule, ThingsService } from './things.js';

const app = await NestFactory.create(ThingsModule, { logger: ['error', 'warn'] });
await app.listen(0, '127.0.0.1');
const things = app.get(ThingsService, { strict: false });
const { data } = await things.one(String(Math.random()));
const { axiosRef } = app.get(HttpService, { strict: false });
const response = await axiosRef.get('/' + Math.random());
console.log(data, response.status + ' after ' + historyOf(response)?.length);
await app.close();
`;

const compilerOptions = {
  strict: true,
  target: 'es2023',
  module: 'nodenext',
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  types: ['node'],
};

export const nest: Check = {
  name: 'nest',
  proves: 'NestJS 12: the recipe for its HttpModule, compiled and started',
  guests: 2,
  packages: [
    '@nestjs/axios@12.0.1',
    '@nestjs/common@12.5.1',
    '@nestjs/core@12.5.1',
    '@nestjs/platform-express@12.5.1',
    'reflect-metadata@0.2.2',
    'rxjs@7.8.2',
    clients.axios,
    nodeTypes(),
  ],
  files: {
    'app/package.json': '{ "type": "module" }',
    'app/things.ts': recipe(),
    'app/main.ts': main,
    'app/tsconfig.json': JSON.stringify({ compilerOptions }),
  },
  async run(place, server) {
    const app = `${place}/app`;
    await run('node', [resolve('node_modules/typescript/bin/tsc'), '-p', '.'], app);
    const said = await run('node', ['main.js'], app, { ...process.env, SERVER: server });
    if (!said.startsWith('said ')) throw new Error(`the service got: ${said}`);
    expectAnswers(said);
  },
};
