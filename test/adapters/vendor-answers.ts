/** The throttling answers of vendors that put their hints into the body: one row each, for every adapter. */

import * as zlib from 'node:zlib';
import type { HintSetName } from '../../src/core/hints/sets.js';
import { type Answer, answer } from '../faults/lab.js';

export interface VendorAnswer {
  readonly hints: HintSetName;
  readonly status: number;
  readonly body: unknown;
  /** The wait that it asks for; null if it says that no retry will help. */
  readonly waitMs: number | null;
  readonly method?: 'POST';
  readonly path?: string;
}

const google = (...details: object[]): object => ({ error: { status: 'RESOURCE_EXHAUSTED', details } });
const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' };
const perDay = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
};

export const vendorAnswers: readonly VendorAnswer[] = [
  { hints: 'telegram', status: 429, body: { ok: false, parameters: { retry_after: 7 } }, waitMs: 7_000 },
  { hints: 'dropbox', status: 429, body: { error: { retry_after: 7 } }, waitMs: 7_000 },
  { hints: 'kubernetes', status: 429, body: { details: { retryAfterSeconds: 7 } }, waitMs: 7_000 },
  { hints: 'discord', status: 429, body: { retry_after: 0.75 }, waitMs: 750 },
  { hints: 'google', status: 429, body: google(retryInfo), waitMs: 7_000 },
  { hints: 'google', status: 429, body: google(perDay, retryInfo), waitMs: null },
  { hints: 'openai', status: 429, body: { error: { code: 'insufficient_quota' } }, waitMs: null },
  {
    hints: 'github',
    status: 403,
    body: { message: 'You have exceeded a secondary rate limit.' },
    waitMs: 60_000,
  },
  {
    hints: 'github',
    status: 200,
    body: { errors: [{ type: 'RATE_LIMITED' }] },
    waitMs: 60_000,
    method: 'POST',
    path: '/graphql',
  },
  {
    hints: 'shopify',
    status: 200,
    body: {
      errors: [{ extensions: { code: 'THROTTLED' } }],
      extensions: {
        cost: { requestedQueryCost: 700, throttleStatus: { currentlyAvailable: 0, restoreRate: 100 } },
      },
    },
    waitMs: 7_000,
    method: 'POST',
    path: '/admin/api/2026-01/graphql.json',
  },
  { hints: 'hubspot', status: 429, body: { policyName: 'DAILY' }, waitMs: null },
  { hints: 'salesforce', status: 503, body: { retryAfter: 7 }, waitMs: 7_000 },
];

/** Each content coding that clients ask for, as far as this Node has it. */
export const packers: Readonly<Record<string, (text: string) => Uint8Array>> = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  ...('zstdCompressSync' in zlib && {
    zstd: zlib.zstdCompressSync as (text: string) => Uint8Array,
  }),
};

const json = { 'content-type': 'application/json' };

export function plain(status: number, body: unknown): Answer {
  return answer(status, JSON.stringify(body), json);
}

export function packed(status: number, body: unknown, coding: string): Answer {
  const bytes = packers[coding]?.(JSON.stringify(body)) ?? new Uint8Array();
  return answer(status, latin1(bytes), { ...json, 'content-encoding': coding });
}

/** The whole body that it sends, one letter for each byte. */
export function textOf({ steps }: Answer): string {
  return steps.flatMap((step) => (step.do === 'body' ? [step.text] : [])).join('');
}

export function latin1(bytes: Uint8Array | ArrayBuffer): string {
  return Buffer.from(bytes as Uint8Array).toString('latin1');
}
