/**
 * A faulty HTTP/1.1 server on loopback that plays a script and keeps a ledger of what reached it.
 * `await using lab = await startLab(…)` closes it, sockets included, however the test ends.
 */

import { Connection, type Stage } from './connection.js';
import { type FaultLab, FaultyServer, type TlsKinds } from './faulty-server.js';
import type { Received } from './ledger.js';
import type { Peer } from './listener.js';
import type { Play, Script } from './play.js';

export { ca, type TlsKind } from './certificates.js';
export { contentOf } from './content.js';
export type { Received } from './ledger.js';
export { type FullBacklog, refusedOrigin, startFullBacklog } from './origins.js';
export type { Answer, AnswerStep, HangUp, HeaderFields, Play, Step } from './play.js';
export * from './plays.js';

export type Lab = FaultLab<Play>;

export type LabScript = Script<Play, Received>;

export interface LabOptions {
  readonly tls?: TlsKinds;
  /** A play that begins with this connection (from 1), in place of the script's. */
  readonly onAccept?: (connection: number) => Play | undefined;
}

export async function startLab(script: LabScript, options: LabOptions = {}): Promise<Lab> {
  const lab = new Http1Lab(script, options);
  await lab.listen();
  return lab;
}

class Http1Lab extends FaultyServer<Play> implements Stage {
  readonly #onAccept: LabOptions['onAccept'];

  constructor(script: LabScript, { tls, onAccept }: LabOptions) {
    super(script, 'http/1.1', tls);
    this.#onAccept = onAccept;
  }

  protected override welcome(peer: Peer): void {
    const connection = new Connection(peer, this);
    const play = this.#onAccept?.(peer.number) ?? this.takePlayIf(({ at }) => at === 'connect');
    if (play !== undefined) connection.open(play);
  }
}
