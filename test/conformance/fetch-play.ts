/** How a scenario is played through undici's fetch, with an agent that leads every address to the stage. */

import { Readable } from 'node:stream';
import type { RetryingFetch } from '../../src/adapters/fetch/index.js';
import { historyOf, type Ports, type Retrier } from '../../src/index.js';
import { undiciFetch } from '../adapters/fetch/client.js';
import { settled } from '../adapters/kit.js';
import { agentOn } from './agent.js';
import type { Play } from './conform.js';
import { LabStage } from './lab-stage.js';
import { defaultUrl, type Scenario, type ScenarioRequest } from './scenario.js';
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

/** `open` makes the retrier of a scenario, and `wrap` is what is tested. */
export function fetchPlay(
  open: (scenario: Scenario, ports: Ports) => Retrier,
  wrap: (fetch: typeof globalThis.fetch, retrier: Retrier) => RetryingFetch<typeof globalThis.fetch>,
): Play {
  return async (scenario) => {
    const stage = await LabStage.open(scenario);
    const dispatcher = agentOn(stage);
    const doFetch = wrap(undiciFetch, stage.attend(open(scenario, stage.portsWithoutDrains)));
    const through: typeof fetch = (url, init) => doFetch(url, { ...init, dispatcher } as RequestInit);
    return stage.run((request) => send(through, request));
  };
}
