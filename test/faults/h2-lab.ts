/** The lab for HTTP/2: with TLS and ALPN, or in the clear with prior knowledge. */

import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type FaultLab, FaultyServer, type TlsKinds } from './faulty-server.js';
import { FramePort } from './frame-port.js';
import { H2Performance, type H2Wire } from './h2-performance.js';
import type { H2Play } from './h2-plays.js';
import type { Arrival, Received, RequestHead } from './ledger.js';
import type { Peer } from './listener.js';
import type { Script } from './play.js';

export * from './h2-plays.js';

export type H2Lab = FaultLab<H2Play>;

export type H2LabScript = Script<H2Play, Received>;

export interface H2LabOptions {
  /** `true` (default): a trusted certificate; `false`: in the clear. */
  readonly tls?: boolean | TlsKinds;
}

export async function startH2Lab(script: H2LabScript, { tls = true }: H2LabOptions = {}): Promise<H2Lab> {
  const lab = new Http2Lab(script, tls === true ? 'trusted' : tls || undefined);
  await lab.listen();
  return lab;
}

class Http2Lab extends FaultyServer<H2Play> {
  constructor(script: H2LabScript, tls: TlsKinds) {
    super(script, 'h2', tls);
  }

  protected override welcome(peer: Peer): void {
    const port = new FramePort(peer.socket, () => this.changed());
    port.on('error', () => {});
    // RFC 8441: WebSockets are accepted.
    const session: ServerHttp2Session = performServerHandshake(port, {
      settings: { enableConnectProtocol: true },
    });
    session.on('error', () => peer.socket.destroy());
    session.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
        stream.on('error', () => {});
        const { ':method': method = '', ':path': path = '' } = headers;
        const head = { method, path, rawHeaders: withoutPseudo(raw) };
        void this.#serve(stream, head, { peer, port, cues: this.cues });
      },
    );
  }

  async #serve(stream: ServerHttp2Stream, head: RequestHead, wire: H2Wire): Promise<void> {
    const request = this.record(head, wire.peer.number);
    const play = this.playFor(request);
    this.#read(request, stream);
    this.changed();
    if (play.at === undefined || play.at === 'body') await request.settled();
    const performance = new H2Performance(stream, wire);
    await performance.run(play.steps);
    this.changed();
  }

  #read(request: Arrival, stream: ServerHttp2Stream): void {
    stream.on('data', (piece: Buffer) => {
      request.add(piece);
      this.changed();
    });
    // A body that was broken off ends, too.
    stream.on('end', () => {
      if (!stream.aborted && stream.rstCode === 0) request.finish();
      this.changed();
    });
    stream.on('close', () => {
      request.settle();
      this.changed();
    });
  }
}

function withoutPseudo(raw: readonly string[]): string[] {
  return raw.filter((_, at) => raw[at - (at % 2)]?.startsWith(':') === false);
}
