/** The scenarios through axios and its `http` adapter. */

import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { AxiosInstance } from 'axios';
import { onTestFinished } from 'vitest';
import { createRetrier, historyOf } from '../../src/index.js';
import { retryingInstance } from '../adapters/axios/kit.js';
import { settled } from '../adapters/kit.js';
import { conforms } from './conform.js';
import { policyOf } from './functions.js';
import { LabStage } from './lab-stage.js';
import { defaultUrl, type ScenarioRequest } from './scenario.js';
import type { Settled } from './stage.js';

/** Opens a new connection to the stage's current server for each attempt. */
class StageAgent extends Agent {
  readonly #stage: LabStage;

  constructor(stage: LabStage) {
    super({ keepAlive: false });
    this.#stage = stage;
  }

  override createConnection(): Socket {
    return connect(this.#stage.takePort(), '127.0.0.1');
  }
}

async function send(instance: AxiosInstance, request: ScenarioRequest): Promise<Settled> {
  const { method = 'GET', url = defaultUrl, headers, body, stream, retry } = request;
  const { value, error } = await settled(
    instance.request({
      method,
      url,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { data: body }),
      ...(stream !== undefined && { data: Readable.from([Buffer.from(stream)]) }),
      ...(retry !== undefined && { retry }),
    }),
  );
  const { status } = value ?? (error as { readonly response?: { readonly status: number } }).response ?? {};
  return { with: status ?? (error as { readonly code: string }).code, history: historyOf(value ?? error) };
}

conforms('axios', async (scenario) => {
  const stage = await LabStage.open(scenario);
  const httpAgent = new StageAgent(stage);
  onTestFinished(() => httpAgent.destroy());
  const instance = retryingInstance(stage.attend(createRetrier(policyOf(scenario), stage.ports)), {
    adapter: 'http',
    httpAgent,
    proxy: false,
  });
  return stage.run((request) => send(instance, request));
});
