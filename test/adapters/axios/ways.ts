/** The adapters over which every behaviour is tested, each with a lab for its protocol. */

import { request as httpRequest } from 'node:http';
import type { AxiosAdapter, AxiosInstance, AxiosRequestConfig, AxiosResponse } from 'axios';
import { onTestFinished } from 'vitest';
import type { attachRetry } from '../../../src/adapters/axios/index.js';
import type { FaultLab } from '../../faults/faulty-server.js';
import { type H2Lab, type H2LabOptions, type H2LabScript, startH2Lab } from '../../faults/h2-lab.js';
import type { Received } from '../../faults/ledger.js';
import type { Answer, Script } from '../../faults/play.js';
import { openLab } from '../kit.js';
import { minor } from './client.js';
import { retryingInstance } from './kit.js';

export interface Way {
  readonly name: 'http' | 'http over HTTP/2' | 'fetch' | 'an adapter of the caller';
  readonly config: AxiosRequestConfig;
  readonly open: (script: Script<Answer, Received>) => Promise<FaultLab<Answer>>;
}

export async function openH2Lab(script: H2LabScript, options?: H2LabOptions): Promise<H2Lab> {
  const lab = await startH2Lab(script, options);
  onTestFinished(() => lab.close());
  return lab;
}

const http: Way = { name: 'http', config: { adapter: 'http' }, open: openLab };
const fetch: Way = { name: 'fetch', config: { adapter: 'fetch' }, open: openLab };

/** axios has no agent for HTTP/2: the trusted authority is an option of the session. */
export const overH2: Way = {
  name: 'http over HTTP/2',
  config: { adapter: 'http', httpVersion: 2, http2Options: { rejectUnauthorized: false } },
  open: openH2Lab,
};

/**
 * HTTP/2 came with 1.13, but before 1.20 axios did not listen for a session's errors: a session that cannot connect, or
 * that a closing lab resets, ends the process.
 */
export const survivesHttp2: boolean = minor >= 20;

/** A typical hand-written adapter: headers as a plain object in their original case, and an error without a code. */
const byHand: AxiosAdapter = (config) =>
  new Promise((resolve, reject) => {
    const { method = 'get', data, validateStatus } = config;
    const options = { method: method.toUpperCase(), headers: headersOf(config), agent: false as const };
    const signal = config.signal as AbortSignal | undefined;
    const address = new URL(config.url ?? '', config.baseURL);
    const request = httpRequest(
      address,
      signal === undefined ? options : { ...options, signal },
      (answer) => {
        const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
        const head = { status, statusText, headers: recordOf(answer.rawHeaders), config, request };
        if (config.responseType === 'stream') {
          resolve({ ...head, data: answer });
          return;
        }
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const response: AxiosResponse = { ...head, data: text };
          if (validateStatus?.(status) ?? true) resolve(response);
          else reject(Object.assign(new Error(`answered with ${status}`), { response, config }));
        });
      },
    );
    request.on('error', reject);
    request.end(data);
  });

function headersOf({ headers }: AxiosRequestConfig): Record<string, string> {
  const entries = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function recordOf(raw: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) record[raw[at] ?? ''] = raw[at + 1] ?? '';
  return record;
}

const byTheCaller: Way = { name: 'an adapter of the caller', config: { adapter: byHand }, open: openLab };

export const overHttp1: readonly Way[] = [http, fetch, byTheCaller];
export const ways: readonly Way[] = survivesHttp2 ? [...overHttp1, overH2] : overHttp1;

/** An instance that retries, and sends this way to this lab. */
export function retryingOver(
  way: Pick<Way, 'config'>,
  origin: string,
  given?: Parameters<typeof attachRetry>[1],
  more: AxiosRequestConfig = {},
): AxiosInstance {
  return retryingInstance(given, { baseURL: origin, ...way.config, ...more } as object);
}
