/** The matrix is worth as much as this: each run meets the axios that it asked for, and no other. */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxiosError } from 'axios';
import { expect, onTestFinished, test } from 'vitest';
import { startH2Lab } from '../../faults/h2-lab.js';
import { answer, cutBody } from '../../faults/lab.js';
import { openLab, settled } from '../kit.js';
import {
  axios,
  axiosEsm,
  callsTruncatedTooLong,
  canRefuseAbsoluteUrls,
  fetchHasLimits,
  fetchStaysOnRedirect,
  minor,
  speaksHttp2,
  truncatedHasResponse,
  version,
} from './client.js';
import { openInstance } from './kit.js';

test('the axios under test is the one that was asked for', () => {
  const folder = process.env['AXIOS_UNDER_TEST'] ?? process.cwd();
  const manifest = readFileSync(join(folder, 'node_modules/axios/package.json'), 'utf8');
  expect(version).toBe((JSON.parse(manifest) as { version: string }).version);
  expect(axios).toBe(createRequire(join(folder, 'package.json'))('axios'));
  expect(version.startsWith(`1.${minor}.`)).toBe(true);
});

test('its builds are two, of one version', () => {
  expect(axiosEsm.VERSION).toBe(version);
  expect(axiosEsm.AxiosError).not.toBe(axios.AxiosError);
});

test('no file here imports axios by itself, but for its types', () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts'));
  expect(sources).toContain('client.ts');
  const importers = sources.filter((name) =>
    importsAxios(readFileSync(join(import.meta.dirname, name), 'utf8')),
  );
  expect(importers).toEqual([]);
});

test.each([
  "import axios from 'axios';",
  "import axios, {\n  AxiosError,\n  type AxiosInstance,\n} from 'axios';",
])('… such as: %s', (code) => {
  expect(importsAxios(code)).toBe(true);
});

function importsAxios(code: string): boolean {
  return /^import (?!type\b)[^;]*? from 'axios'/m.test(code);
}

// ---------------------------------------------------------------- what older versions lack

test(`it ${speaksHttp2 ? 'speaks' : 'does not speak'} HTTP/2`, async () => {
  const lab = await startH2Lab(answer(200), { tls: false });
  onTestFinished(() => lab.close());
  const { value } = await settled(openInstance().get(lab.origin, { httpVersion: 2 }));
  expect(value?.status === 200).toBe(speaksHttp2);
});

test(`it ${canRefuseAbsoluteUrls ? 'can' : 'cannot'} refuse absolute URLs`, async () => {
  const lab = await openLab(answer(200));
  await openInstance({ baseURL: `${lab.origin}/base` }).get(`${lab.origin}/`, { allowAbsoluteUrls: false });
  expect(lab.requests[0]?.path.startsWith('/base/')).toBe(canRefuseAbsoluteUrls);
});

test(`the adapter fetch ${fetchHasLimits ? 'has' : 'has no'} limits of size`, async () => {
  const lab = await openLab(answer(200, 'more than it may be'));
  const instance = openInstance({ adapter: 'fetch', baseURL: lab.origin });
  const received = await settled(instance.get('/', { maxContentLength: 1 }));
  const sent = await settled(instance.post('/', 'more than it may be', { maxBodyLength: 1 }));
  expect([received.value === undefined, sent.value === undefined]).toEqual([fetchHasLimits, fetchHasLimits]);
});

test(`the adapter fetch ${fetchStaysOnRedirect ? 'minds' : 'does not mind'} maxRedirects: 0`, async () => {
  const lab = await openLab([answer(302, '', { location: '/elsewhere' }), answer(200)]);
  await settled(openInstance({ adapter: 'fetch' }).get(lab.origin, { maxRedirects: 0 }));
  expect(lab.requests.length).toBe(fetchStaysOnRedirect ? 1 : 2);
});

test('what it says of a body that ended too soon', async () => {
  const lab = await openLab(cutBody(100, 40, 'fin'));
  const { error } = await settled(openInstance().get(lab.origin));
  const { message, response } = error as AxiosError;
  expect(response?.status).toBe(truncatedHasResponse ? 200 : undefined);
  expect(message).toMatch(callsTruncatedTooLong ? /maxContentLength/ : /aborted/);
});
