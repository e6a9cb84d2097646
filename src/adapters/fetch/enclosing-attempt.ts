/** An attempt as the layers beneath it know it: `beforeRetry` may have sent it to another URL than the caller's. */

import type { RequestFacts } from '../../core/types.js';
import { originIn, written } from '../../kernel/address.js';
import type { Retrier } from '../../kernel/retrier.js';
import { addressOf } from './request.js';

export class EnclosingAttempt implements RequestFacts {
  readonly retrier: Retrier;
  private readonly request: Pick<RequestFacts, 'method' | 'keyed'>;
  private readonly input: unknown;

  constructor(request: Pick<RequestFacts, 'method' | 'keyed'>, input: unknown, retrier: Retrier) {
    this.request = request;
    this.input = input;
    this.retrier = retrier;
  }

  get method(): string {
    return this.request.method;
  }

  get origin(): string | undefined {
    return originIn(addressOf(this.input));
  }

  get path(): string {
    return written(addressOf(this.input));
  }

  get keyed(): boolean {
    return this.request.keyed;
  }
}
