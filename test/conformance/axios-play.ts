/** How a scenario is played through axios and its `http` adapter. */

import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { AxiosInstance } from 'axios';
import { onTestFinished } from 'vitest';
import { historyOf, type Ports, type Retrier } from '../../src/index.js';
import { openInstance } from '../adapters/axios/kit.js';
import { settled } from '../adapters/kit.js';
import type { Play } from './conform.js';
import { LabStage } from './lab-stage.js';
import { defaultUrl, type Scenario, type ScenarioRequest } from './scenario.js';
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

/** `open` makes the retrier of a scenario, and `attach` is what is tested. */
export function axiosPlay(
  open: (scenario: Scenario, ports: Ports) => Retrier,
  attach: (instance: AxiosInstance, retrier: Retrier) => void,
): Play {
  return async (scenario) => {
    const stage = await LabStage.open(scenario);
    const httpAgent = new StageAgent(stage);
    onTestFinished(() => httpAgent.destroy());
    const instance = openInstance({ adapter: 'http', httpAgent, proxy: false });
    attach(instance, stage.attend(open(scenario, stage.ports)));
    return stage.run((request) => send(instance, request));
  };
}
