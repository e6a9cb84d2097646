/** The scenarios through undici's fetch, with an agent that leads every address to the stage. */

import { Readable } from 'node:stream';
import { withRetry } from '../../src/adapters/fetch/index.js';
import { createRetrier, historyOf } from '../../src/index.js';
import { undiciFetch } from '../adapters/fetch/client.js';
import { settled } from '../adapters/kit.js';
import { agentOn } from './agent.js';
import { conforms } from './conform.js';
import { policyOf } from './functions.js';
import { LabStage } from './lab-stage.js';
import { defaultUrl, type ScenarioRequest } from './scenario.js';
import type { Settled } from './stage.js';

async function send(doFetch: typeof fetch, request: ScenarioRequest): Promise<Settled> {
  const { url = defaultUrl, stream, ...asked } = request;
  const { method = 'GET', headers, body, retry } = asked;
  const init = {
    method,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
    ...(stream !== undefined && { body: Readable.from([Buffer.from(stream)]), duplex: 'half' }),
    ...(retry !== undefined && { retry }),
  };
  const { value, error } = await settled(doFetch(url, init as object));
  if (value === undefined) return { with: codeOf(error), history: historyOf(error) };
  await value.arrayBuffer();
  return { with: value.status, history: historyOf(value) };
}

/** The code in the cause of fetch's error; for bytes that are not HTTP, there is not always one. */
function codeOf(error: unknown): string {
  const { code, cause } = error as { readonly code?: string; readonly cause?: Error & { code?: string } };
  if (typeof code === 'string') return code;
  return cause?.code ?? (cause?.name === 'HTTPParserError' ? 'HPE_INVALID_CONSTANT' : String(cause?.name));
}

conforms('fetch', async (scenario) => {
  const stage = await LabStage.open(scenario);
  const dispatcher = agentOn(stage);
  const retrier = stage.attend(createRetrier(policyOf(scenario), stage.portsWithoutDrains));
  const doFetch = withRetry(undiciFetch, retrier);
  const through: typeof fetch = (url, init) => doFetch(url, { ...init, dispatcher } as RequestInit);
  return stage.run((request) => send(through, request));
});
