/** The stream that undici sends for a kept body, over HTTP/1.1 and HTTP/2, whatever the caller gave. */

import { Readable } from 'node:stream';
import type { KeptBody } from '../../drivers/body/kept-body.js';
import { streamFrom } from '../../drivers/body/kept-stream.js';
import { resetError } from './errors.js';

export class Upload extends Readable {
  /** The HTTP/2 stream that it is piped to. Over HTTP/1.1, undici writes without piping. */
  private sink: NodeJS.WritableStream | undefined = undefined;
  private source: KeptBody | undefined = undefined;

  static of(body: KeptBody): Upload {
    const upload = streamFrom(body, Upload, body.isOfObjects);
    upload.source = body;
    return upload;
  }

  /**
   * Before it writes, undici probes with `read(0)` whether the length is known. The probe must not take anything from
   * the source.
   */
  override read(size?: number): unknown {
    const isProbe = size === 0 && this.readableFlowing === null;
    return isProbe && this.source?.probe() === false ? null : super.read(size);
  }

  override pipe<Sink extends NodeJS.WritableStream>(sink: Sink, options?: { end?: boolean }): Sink {
    this.sink = sink;
    return super.pipe(sink, options);
  }

  /**
   * Breaks the upload off before the request is aborted. Over HTTP/2, undici 7 and 8 abort by closing the stream, which
   * Node turns into a regular end: the server would take part of the body for all of it. This may be the very turn in
   * which Node reads what the server sent. A stream that is reset there while it is written can make Node 20 to 26 loop
   * for ever in native code, so the reset waits for the next turn.
   */
  breakOff(abort: () => void): void {
    setImmediate(() => {
      if (this.closed) {
        abort();
        return;
      }
      this.once('close', abort);
      this.destroy(new Error('undaunted: the attempt that sent this body is over'));
    });
  }

  /**
   * undici reports "Premature close" for each HTTP/2 stream that was reset while it sent a stream, even if the request
   * was not processed. This is the error that undici gives for other bodies.
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
