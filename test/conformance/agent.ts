/** Where undici's requests go, whatever their URLs say. */

import type { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { undici } from '../adapters/undici/client.js';
import type { LabStage } from './lab-stage.js';

/** Each attempt on a connection of its own, to wherever the stage has its server. */
export function agentOn(stage: LabStage): Agent {
  const connector = undici.buildConnector({});
  const agent = new undici.Agent({
    pipelining: 0,
    connect: (options, done) =>
      connector({ ...options, hostname: '127.0.0.1', port: String(stage.takePort()) }, done),
  });
  onTestFinished(() => agent.destroy());
  return agent;
}
