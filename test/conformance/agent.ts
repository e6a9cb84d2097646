/** Directs undici's requests to the stage's servers, whatever their URLs say. */

import type { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { undici } from '../adapters/undici/client.js';
import type { LabStage } from './lab-stage.js';

/** An agent that opens a new connection to the stage's current server for each attempt. */
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
