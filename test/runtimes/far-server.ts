/** The server of a stage that is in another runtime: attempts arrive at a lab, and the stage is told of them. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nextHop, playOf } from '../conformance/lab-stage.js';
import type { Script } from '../conformance/stage.js';
import { closeAfter, type Lab, onCue, type Play, type Received, refusedOrigin } from '../faults/lab.js';
import type { Places } from './order.js';

export class FarServer implements AsyncDisposable {
  readonly places: Places;
  readonly #lab: Lab;
  readonly #control: Server;
  /** Every attempt that has arrived, by its name: once, unless the runtime sends it again by itself. */
  readonly #arrivals = new Map<string, Received[]>();
  readonly #waiting = new Map<string, ServerResponse>();

  private constructor(lab: Lab, control: Server, refused: string) {
    this.#lab = lab;
    this.#control = control;
    const { port } = control.address() as AddressInfo;
    this.places = { control: `http://127.0.0.1:${port}`, attempts: `${lab.origin}/attempt`, refused };
    control.on('request', (request, response) => this.#hear(request, response));
  }

  /** The lab has to play what `playFor` says of requests for `/attempt/…`. */
  static async open(lab: Lab): Promise<FarServer> {
    const control = createServer().listen(0, '127.0.0.1');
    await once(control, 'listening');
    return new FarServer(lab, control, `${await refusedOrigin()}/`);
  }

  /** Attempts of this run that the runtime has sent more than once. */
  repeatedIn(run: string): string[] {
    return [...this.#arrivals].flatMap(([name, all]) =>
      name.startsWith(`${run}-`) && all.length > 1 ? [name] : [],
    );
  }

  playFor(request: Received): Play {
    const hop = nextHop(request.path);
    if (hop !== undefined) return closeAfter(playOf(hop));
    const { pathname, searchParams } = new URL(request.path, this.#lab.origin);
    const name = pathname.replace('/attempt/', '');
    const all = this.#arrivals.get(name) ?? [];
    this.#arrivals.set(name, [...all, request]);
    this.#tell(name);
    // Each attempt has a connection of its own: on one that is kept alive, some runtimes repeat requests themselves.
    return closeAfter(
      onCue(name, playOf(JSON.parse(searchParams.get('play') ?? '{}') as Script, this.places.refused)),
    );
  }

  #hear({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const [, what, name = ''] = url.split('/');
    response.setHeader('access-control-allow-origin', '*');
    if (what === 'arrival') {
      this.#waiting.set(name, response);
      this.#tell(name);
    } else {
      this.#lab.cue(name);
      response.end();
    }
  }

  #tell(name: string): void {
    const first = this.#arrivals.get(name)?.[0];
    if (first === undefined) return;
    this.#waiting.get(name)?.end(JSON.stringify(first.headers));
    this.#waiting.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#control.closeAllConnections();
    this.#control.close();
    await once(this.#control, 'close');
  }
}
