/** An HTTP/2 lab and an Agent that speaks to it, and what this undici cannot do over HTTP/2 on its own. */

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

/** With prior knowledge. undici 6 and the first 7 cannot: to them an `http:` origin speaks HTTP/1.1. */
const inTheClear: Wire = {
  name: 'h2c',
  tls: false,
  agent: { allowH2: true, connect: undici.buildConnector({ allowH2: true, useH2c: true } as object) },
};

const minor = Number(version.split('.')[1]);

export const wires: readonly Wire[] = String(undici.buildConnector).includes('useH2c')
  ? [overTls, inTheClear]
  : [overTls];

/** Before, a RST_STREAM(CANCEL) in place of an answer ended nothing (6), or was answered by a TypeError (7.0). */
export const hearsCancel: boolean = major > 7 || (major === 7 && minor >= 20);

/** To the oldest, a graceful GOAWAY was an abort, and one with an error the end of all that follows. */
export const hearsGoaway: boolean = major > 6 || minor >= 20;

/** Before, a stream that was reset kept its place on the connection: with one connection, nothing goes on. */
export const freesPlaces: boolean = major !== 7 || minor >= 30;

/** 6 keeps a session that died, and never connects again: a request hangs. Early 7 throws in its own events. */
export const reconnects: boolean = major > 6 && freesPlaces;

/** 6 and 7 retire whichever request is the oldest, or have a GOAWAY kill what it does not name. */
export const multiplexes: boolean = major > 7;

export async function openH2Lab(script: H2LabScript, wire: Wire = overTls): Promise<H2Lab> {
  const lab = await startH2Lab(script, { tls: wire.tls });
  onTestFinished(() => lab.close());
  return lab;
}

/** Of one connection at a time, so that it shows whether that one is kept. */
export function openH2Agent(wire: Wire = overTls, options: Agent.Options = {}): Agent {
  return openAgent({ connections: 1, ...wire.agent, ...options });
}

/** The same, where streams are reset. */
export function openH2AgentForResets(wire: Wire): Agent {
  return openH2Agent(wire, { connections: freesPlaces ? 1 : null });
}
