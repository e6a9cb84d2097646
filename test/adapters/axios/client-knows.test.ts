/** Checks what the tests assume about the axios under test. */

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

test('its minor version is that of its version string', () => {
  expect(version.startsWith(`1.${minor}.`)).toBe(true);
});

test('its builds are two, of one version', () => {
  expect(axiosEsm.VERSION).toBe(version);
  expect(axiosEsm.AxiosError).not.toBe(axios.AxiosError);
});

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

test(`the adapter fetch ${fetchStaysOnRedirect ? 'obeys' : 'ignores'} maxRedirects: 0`, async () => {
  const lab = await openLab([answer(302, '', { location: '/elsewhere' }), answer(200)]);
  await settled(openInstance({ adapter: 'fetch' }).get(lab.origin, { maxRedirects: 0 }));
  expect(lab.requests.length).toBe(fetchStaysOnRedirect ? 1 : 2);
});

test('its error for a body that ended too soon', async () => {
  const lab = await openLab(cutBody(100, 40, 'fin'));
  const { error } = await settled(openInstance().get(lab.origin));
  const { message, response } = error as AxiosError;
  expect(response?.status).toBe(truncatedHasResponse ? 200 : undefined);
  expect(message).toMatch(callsTruncatedTooLong ? /maxContentLength/ : /aborted/);
});
