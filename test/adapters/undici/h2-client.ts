/** An HTTP/2 lab and an Agent for it, and what each version of undici cannot do over HTTP/2 by itself. */

import type { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { type H2Lab, type H2LabScript, startH2Lab } from '../../faults/h2-lab.js';
import { ca } from '../../faults/lab.js';
import { major, undici, version } from './client.js';
import { openAgent } from './kit.js';

export interface Wire {
  readonly name: string;
  readonly tls: boolean;
  readonly agent: Agent.Options;
}

export const overTls: Wire = { name: 'TLS', tls: true, agent: { allowH2: true, connect: { ca } } };

/** With prior knowledge. undici 6 and the first 7 always use HTTP/1.1 for an `http:` origin. */
const inTheClear: Wire = {
  name: 'h2c',
  tls: false,
  agent: { allowH2: true, connect: undici.buildConnector({ allowH2: true, useH2c: true } as object) },
};

const minor = Number(version.split('.')[1]);

export const wires: readonly Wire[] = String(undici.buildConnector).includes('useH2c')
  ? [overTls, inTheClear]
  : [overTls];

/** Before these versions, RST_STREAM(CANCEL) in place of an answer ended nothing (6), or caused a TypeError (7.0). */
export const hearsCancel: boolean = major > 7 || (major === 7 && minor >= 20);

/** The oldest versions treat a graceful GOAWAY as an abort, and one with an error as the end of everything after it. */
export const hearsGoaway: boolean = major > 6 || minor >= 20;

/**
 * Before these versions, a stream that was reset kept its place on the connection: with one connection, nothing goes
 * on.
 */
export const freesPlaces: boolean = major !== 7 || minor >= 30;

/** undici 6 keeps a dead session and never connects again, so a request hangs. Early 7 throws in its own events. */
export const reconnects: boolean = major > 6 && freesPlaces;

/**
 * undici 6 and 7 retire the oldest request, whichever stream ended, or let a GOAWAY kill streams that it does not name.
 */
export const multiplexes: boolean = major > 7;

export async function openH2Lab(script: H2LabScript, wire: Wire = overTls): Promise<H2Lab> {
  const lab = await startH2Lab(script, { tls: wire.tls });
  onTestFinished(() => lab.close());
  return lab;
}

/** With one connection at a time, so that it shows whether that one is kept. */
export function openH2Agent(wire: Wire = overTls, options: Agent.Options = {}): Agent {
  return openAgent({ connections: 1, ...wire.agent, ...options });
}

/** The same, for tests in which streams are reset. */
export function openH2AgentForResets(wire: Wire): Agent {
  return openH2Agent(wire, { connections: freesPlaces ? 1 : null });
}
