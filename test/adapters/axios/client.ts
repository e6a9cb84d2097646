/**
 * The axios under test: that of the folder which AXIOS_UNDER_TEST names (`npm run test:matrix` sets it), or
 * else the devDependency, in both of its builds. The tests of this folder import axios only from here, and
 * types alone from 'axios': a test with its own import would meet the same version in every run of the matrix.
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxiosInstance, AxiosStatic } from 'axios';

const folder = process.env['AXIOS_UNDER_TEST'];
const load = createRequire(folder === undefined ? import.meta.url : join(folder, 'package.json'));

/** What `require('axios')` gives. Typed as the devDependency: what older versions lack is for the test to ask. */
export const axios: AxiosStatic = load('axios');
export const version = axios.VERSION;
export const minor = Number(version.split('.')[1]);

/** What `import` gives: the same version, in classes of its own. */
export const axiosEsm = await importFrom(join(dirname(load.resolve('axios/package.json')), 'index.js'));

async function importFrom(file: string): Promise<AxiosStatic> {
  const build = (await import(pathToFileURL(file).href)) as { default: AxiosStatic };
  return build.default;
}

/** Of axios-cache-interceptor, which the matrix installs beside the newest axios: elsewhere there is none. */
export const setupCache: ((instance: AxiosInstance) => AxiosInstance) | undefined = cacheBeside();

function cacheBeside(): typeof setupCache {
  const isThere = folder !== undefined && existsSync(join(folder, 'node_modules/axios-cache-interceptor'));
  if (!isThere) return undefined;
  return (load('axios-cache-interceptor') as { setupCache: typeof setupCache }).setupCache;
}

/** `httpVersion: 2`. */
export const speaksHttp2 = minor >= 13;

/** `allowAbsoluteUrls: false`. */
export const canRefuseAbsoluteUrls = minor >= 8;

/** Whether the adapter `fetch` minds `maxContentLength` and `maxBodyLength`. */
export const fetchHasLimits = minor >= 16;

/** Whether the adapter `fetch` minds `maxRedirects: 0`. */
export const fetchStaysOnRedirect = minor >= 20;

/** Whether `http` hands over the response, with its status of success, beside a body that ended too soon. */
export const truncatedHasResponse = minor >= 16;

/** Whether `http` says of such a body, and of one that stalls, that it exceeds `maxContentLength`. */
export const callsTruncatedTooLong = minor === 7 && Number(version.split('.')[2]) < 8;

/** 1.7.0 takes no `File` over `http`, and over `fetch` forgets listeners and cancels no stream that stalls. */
export const isFirst = version === '1.7.0';
