/** An attempt as the layers beneath it know it: `beforeRetry` may have sent it to another URL than the caller's. */

import type { RequestFacts } from '../../core/types.js';
import { originIn, written } from '../../runtime/address.js';
import type { Exchange, Installation } from './exchange.js';
import { addressOf } from './request.js';

export class EnclosingAttempt implements RequestFacts {
  private readonly exchange: Exchange;
  private readonly input: unknown;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.input = exchange.input;
  }

  get installation(): Installation {
    return this.exchange.installation;
  }

  get method(): string {
    return this.exchange.method;
  }

  get origin(): string | undefined {
    return originIn(addressOf(this.input));
  }

  get path(): string {
    return written(addressOf(this.input));
  }

  get keyed(): boolean {
    return this.exchange.keyed;
  }
}
