/** The scenarios through undici: by `request()`, and by `dispatch()` as other libraries call it. */

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe } from 'vitest';
import { retry } from '../../src/adapters/undici/index.js';
import { createRetrier, historyOf } from '../../src/index.js';
import { settled } from '../adapters/kit.js';
import { undici } from '../adapters/undici/client.js';
import { record } from '../adapters/undici/recorder.js';
import { agentOn } from './agent.js';
import { conforms } from './conform.js';
import { policyOf } from './functions.js';
import { LabStage } from './lab-stage.js';
import type { RequestRecord } from './record.js';
import { defaultUrl, type Scenario, type ScenarioRequest } from './scenario.js';
import type { Settled } from './stage.js';

type SendThrough = (dispatcher: Dispatcher, request: ScenarioRequest) => Promise<Settled>;

async function play(scenario: Scenario, send: SendThrough): Promise<readonly RequestRecord[]> {
  const stage = await LabStage.open(scenario);
  const retrier = stage.attend(createRetrier(policyOf(scenario), stage.ports));
  const agent = agentOn(stage);
  // undici follows redirects only if it is told to.
  const beneath = isRedirected(scenario)
    ? agent.compose(undici.interceptors.redirect({ maxRedirections: 5 }))
    : agent;
  const dispatcher = beneath.compose(retry(retrier));
  return stage.run((request) => send(dispatcher, request));
}

function isRedirected({ requests }: Scenario): boolean {
  return requests.some(({ attempts }) => attempts.some(({ redirect }) => redirect !== undefined));
}

function optionsOf({ method = 'GET', headers, body, stream, retry: override }: ScenarioRequest) {
  return {
    method: method as Dispatcher.HttpMethod,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
    ...(stream !== undefined && { body: Readable.from([Buffer.from(stream)]) }),
    ...(override !== undefined && { retry: override }),
  };
}

const byRequest: SendThrough = async (dispatcher, request) => {
  const { url = defaultUrl } = request;
  const { value, error } = await settled(undici.request(url, { dispatcher, ...optionsOf(request) }));
  if (value === undefined) return { with: codeOf(error), history: historyOf(error) };
  await value.body.dump();
  return { with: value.statusCode, history: historyOf(value) };
};

const byDispatch: SendThrough = async (dispatcher, request) => {
  const { origin, pathname, search } = new URL(request.url ?? defaultUrl);
  const recorder = record(dispatcher, { origin, path: pathname + search, ...optionsOf(request) });
  const { heads, errors, context } = await recorder.end();
  const [error] = errors;
  if (error !== undefined) return { with: codeOf(error), history: historyOf(error) };
  return { with: heads[0]?.status ?? 0, history: historyOf({ context }) };
};

/** For bytes that are not HTTP, undici identifies the error by its name, and not always by a code. */
function codeOf(error: unknown): string {
  const { name, code } = error as { readonly name: string; readonly code?: string };
  return code ?? (name === 'HTTPParserError' ? 'HPE_INVALID_CONSTANT' : name);
}

describe('request()', () => conforms('undici request', (scenario) => play(scenario, byRequest)));
describe('dispatch()', () => conforms('undici dispatch', (scenario) => play(scenario, byDispatch)));
