/** An attempt as the layers beneath it know it: `beforeRetry` may have sent it to another URL than the caller's. */

import type { RequestFacts } from '../../core/types.js';
import { originOf, urlOf, type Whereabouts } from './target.js';

export class EnclosingAttempt implements RequestFacts {
  private readonly request: Pick<RequestFacts, 'method' | 'keyed'>;
  private readonly whereabouts: Whereabouts;

  constructor(request: Pick<RequestFacts, 'method' | 'keyed'>, config: Whereabouts) {
    this.request = request;
    const { url, baseURL, allowAbsoluteUrls } = config;
    this.whereabouts = { url, baseURL, allowAbsoluteUrls };
  }

  get method(): string {
    return this.request.method;
  }

  get origin(): string | undefined {
    return originOf(this.whereabouts);
  }

  get path(): string {
    return urlOf(this.whereabouts);
  }

  get keyed(): boolean {
    return this.request.keyed;
  }
}
