/** How runtimes say what the scenarios have Node's codes for. */

import type { RequestRecord } from '../conformance/record.js';
import type { RuntimeName } from './exceptions.js';

type Code = 'ECONNRESET' | 'ECONNREFUSED' | 'HPE_INVALID_CONSTANT';

const untold = /\bFailed to fetch$|^AxiosError \[ERR_NETWORK\] Network Error/;
const lost = /\bNetwork connection lost\.$/;

const words: Readonly<Partial<Record<RuntimeName, Readonly<Record<Code, RegExp>>>>> = {
  Chromium: { ECONNRESET: untold, ECONNREFUSED: untold, HPE_INVALID_CONSTANT: untold },
  Bun: {
    ECONNRESET: /\[ECONNRESET\]/,
    ECONNREFUSED: /\[ECONNREFUSED\]/,
    HPE_INVALID_CONSTANT: /\[(Malformed_HTTP_Response|HPE_INVALID_CONSTANT)\]/,
  },
  Deno: {
    ECONNRESET: /\[ECONNRESET\]|Connection reset by peer \(os error 104\)$/,
    ECONNREFUSED:
      /\[ECONNREFUSED\]|client error \(Connect\): tcp connect error: Connection refused \(os error 111\)$/,
    HPE_INVALID_CONSTANT:
      /\[HPE_INVALID_CONSTANT\]|client error \(SendRequest\): invalid HTTP version parsed$/,
  },
  workerd: { ECONNRESET: lost, ECONNREFUSED: lost, HPE_INVALID_CONSTANT: lost },
};

/** The record with the scenario's code, where the runtime has said the same in its own words. */
export function inCodes(
  runtime: RuntimeName,
  record: RequestRecord,
  code: number | string | undefined,
): RequestRecord {
  const word = words[runtime]?.[code as Code];
  if (word?.test(String(record.ends.with)) !== true) return record;
  return { ...record, ends: { ...record.ends, with: code as Code } };
}
