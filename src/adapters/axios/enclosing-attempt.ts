/** An attempt as the layers beneath it know it: `beforeRetry` may have sent it to another URL than the caller's. */

import type { RequestFacts } from '../../core/types.js';
import type { Exchange } from './exchange.js';
import { originOf, urlOf, type Whereabouts } from './target.js';

export class EnclosingAttempt implements RequestFacts {
  private readonly exchange: Exchange;
  private readonly whereabouts: Whereabouts;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    const { url, baseURL, allowAbsoluteUrls } = exchange.config;
    this.whereabouts = { url, baseURL, allowAbsoluteUrls };
  }

  get method(): string {
    return this.exchange.method;
  }

  get origin(): string | undefined {
    return originOf(this.whereabouts);
  }

  get path(): string {
    return urlOf(this.whereabouts);
  }

  get keyed(): boolean {
    return this.exchange.keyed;
  }
}
