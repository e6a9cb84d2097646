/** A download of 1000 bytes that breaks off after 400, and its result. */

import { expect } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { contentOf, type HeaderFields, type Lab, type LabScript } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { openAgent } from './kit.js';
import { errorsBelow, type Recorder, record } from './recorder.js';
import { etag } from './resume-file.js';

export const size = 1000;
export const cut = 400;
export const content: Buffer = contentOf('a', 0, size);
export const head: HeaderFields = { 'content-length': String(size), 'accept-ranges': 'bytes', etag };
/** The answer that continues a body cut at 400. */
export const rest: HeaderFields = { 'content-length': '600', 'content-range': 'bytes 400-999/1000', etag };

export interface Download {
  readonly lab: Lab;
  readonly recorder: Recorder;
  /** The errors of all attempts, in order. */
  readonly below: readonly unknown[];
}

export interface Asked {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: string;
  readonly policy?: PolicyOptions;
}

export async function download(script: LabScript, { policy, ...options }: Asked = {}): Promise<Download> {
  const lab = await openLab(script);
  const below: unknown[] = [];
  const agent = openAgent().compose(errorsBelow(below), retry({ ...soon, ...policy }));
  const recorder = await record(agent, { origin: lab.origin, ...options }).end();
  return { lab, recorder, below };
}

/** Expects one head, one end, and exactly these bytes between them. */
export function expectWhole({ recorder }: Download, bytes: Buffer): void {
  expect(recorder.errors).toEqual([]);
  expect(recorder.bytes.equals(bytes), 'the exact bytes').toBe(true);
  expect(recorder).toMatchObject({ starts: 1, ends: 1 });
  expect(recorder.heads).toHaveLength(1);
}

/** Expects the first attempt's bytes, then its error. */
export function expectBroken({ recorder, below }: Download, bytes: Buffer): void {
  expect(recorder.errors).toHaveLength(1);
  expect(recorder.errors[0]).toBe(below[0]);
  expect(recorder.bytes.length).toBe(bytes.length);
  expect(recorder.bytes.equals(bytes), 'nothing but the first bytes').toBe(true);
  expect(recorder).toMatchObject({ starts: 1, ends: 1 });
  expect(recorder.heads).toHaveLength(1);
}
