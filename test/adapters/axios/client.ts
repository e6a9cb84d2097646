/**
 * The axios under test: that of the folder which AXIOS_UNDER_TEST names (`npm run test:matrix` sets it), or
 * else the devDependency, in both of its builds. The tests of this folder import axios only from here, and
 * types alone from 'axios': a test with its own import would meet the same version in every run of the matrix.
 */

import { existsSync } from 'node:fs';
import type { Agent } from 'node:https';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxiosInstance, AxiosStatic } from 'axios';

const folder = process.env['AXIOS_UNDER_TEST'];
const load = createRequire(folder === undefined ? import.meta.url : join(folder, 'package.json'));

/**
 * The result of `require('axios')`. Typed as the devDependency; a test must check for features that older versions
 * lack.
 */
export const axios: AxiosStatic = load('axios');
export const version = axios.VERSION;
export const minor = Number(version.split('.')[1]);

/** The result of `import`: the same version, with classes of its own. */
export const axiosEsm = await importFrom(join(dirname(load.resolve('axios/package.json')), 'index.js'));

/** The build without `http`, for browsers and the edge. */
export const axiosEdge = load(
  join(dirname(load.resolve('axios/package.json')), 'dist/browser/axios.cjs'),
) as AxiosStatic;

async function importFrom(file: string): Promise<AxiosStatic> {
  const build = (await import(pathToFileURL(file).href)) as { default: AxiosStatic };
  return build.default;
}

/** axios-cache-interceptor's setup, which the matrix installs beside the newest axios; undefined elsewhere. */
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

/** Whether the adapter `fetch` obeys `maxContentLength` and `maxBodyLength`. */
export const fetchHasLimits = minor >= 16;

/** Whether the adapter `fetch` obeys `maxRedirects: 0`. */
export const fetchStaysOnRedirect = minor >= 20;

/** Whether `http` adds the response, with its success status, to the error for a body that ended too soon. */
export const truncatedHasResponse = minor >= 16;

/** Whether `http` reports such a body, and one that stalls, as exceeding `maxContentLength`. */
export const callsTruncatedTooLong = minor === 7 && Number(version.split('.')[2]) < 8;

/**
 * 1.7.0 accepts no `File` over `http`; over `fetch` it leaves listeners behind and does not cancel a stream that
 * stalls.
 */
export const isFirst = version === '1.7.0';

/** https-proxy-agent, through which axios opens tunnels for its own `proxy`; undefined before it had one. */
export const tunnelAgent: (new (proxy: string) => Agent) | undefined = agentOfAxios();

function agentOfAxios(): typeof tunnelAgent {
  try {
    return createRequire(load.resolve('axios/package.json'))('https-proxy-agent') as typeof tunnelAgent;
  } catch {
    return undefined;
  }
}
