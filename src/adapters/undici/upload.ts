/** The stream that undici sends for a kept body, over HTTP/1.1 and HTTP/2, whatever the caller gave. */

import type { ClientHttp2Stream } from 'node:http2';
import { addAbortSignal, Readable } from 'node:stream';
import type { KeptBody } from '../../drivers/body/kept-body.js';
import { streamFrom } from '../../drivers/body/kept-stream.js';
import { resetError } from './errors.js';

export class Upload extends Readable {
  /** The HTTP/2 stream that it is piped to. Over HTTP/1.1, undici writes without piping. */
  private stream: ClientHttp2Stream | undefined = undefined;
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
    if ('rstCode' in sink) this.stream = sink as unknown as ClientHttp2Stream;
    return super.pipe(sink, options);
  }

  /** Its error is told first: undici ends the request with the first one that it hears of. */
  override destroy(error?: Error | null): this {
    super.destroy(error ?? undefined);
    if (error) this.reset();
    return this;
  }

  /**
   * Resets the HTTP/2 stream, before undici closes it. `close()` first says "aborted", at which Node's pipeline destroys
   * the stream, so that no reset is sent: the server never hears that the request is over, and when it lets the
   * connection send on, Node 20 to 26 look for ever for the rest of a stream that is gone. A stream that is aborted sends
   * CANCEL, which Node may send even in the turn in which it reads.
   */
  reset(): void {
    const { stream } = this;
    if (stream?.closed === false) addAbortSignal(AbortSignal.abort(), stream);
  }

  /**
   * Breaks the upload off before the request is aborted. Over HTTP/2, undici 7 and 8 abort by closing the stream, which
   * Node turns into a regular end: the server would take part of the body for all of it. This may be the very turn in
   * which Node reads what the server sent, so the reset waits for the next turn.
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
    const { stream } = this;
    const isReset = stream?.rstCode !== undefined && codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE';
    return isReset && this.source?.failure === undefined ? resetError(stream.rstCode) : error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
