/** What undici is given to send of a body that is kept: a stream, over HTTP/1.1 and HTTP/2, whatever the caller gave. */

import { Readable } from 'node:stream';
import type { KeptBody } from '../../runtime/kept-body.js';
import { streamFrom } from '../../runtime/kept-stream.js';
import { resetError } from './errors.js';

export class Upload extends Readable {
  /** The stream of HTTP/2 that it goes to; over HTTP/1.1, undici writes for itself. */
  private sink: NodeJS.WritableStream | undefined = undefined;
  private source: KeptBody | undefined = undefined;

  static of(body: KeptBody): Upload {
    const upload = streamFrom(body, Upload, body.isOfObjects);
    upload.source = body;
    return upload;
  }

  /** Before it writes, undici probes whether there is a length to be known. Nothing is to be taken for that. */
  override read(size?: number): unknown {
    const isProbe = size === 0 && this.readableFlowing === null;
    return isProbe && this.source?.probe() === false ? null : super.read(size);
  }

  override pipe<Sink extends NodeJS.WritableStream>(sink: Sink, options?: { end?: boolean }): Sink {
    this.sink = sink;
    return super.pipe(sink, options);
  }

  /**
   * Before its request is aborted. Over HTTP/2, undici 7 and 8 abort by closing the stream, which Node makes a regular end
   * of it: the server would take a part of the body for all of it.
   */
  breakOff(abort: () => void): void {
    this.once('close', abort);
    this.destroy(new Error('undaunted: the attempt that sent this body is over'));
  }

  /**
   * undici says "Premature close" of each stream of HTTP/2 that was reset while it sent a stream, also of one that
   * was not processed. This is what it says where it sends something else.
   */
  explained(error: unknown): unknown {
    const { rstCode } = (this.sink ?? {}) as { readonly rstCode?: number };
    const isReset = rstCode !== undefined && codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE';
    return isReset && this.source?.failure === undefined ? resetError(rstCode) : error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
