/**
 * axios's adapters by their names. Only axios can say which function `'http'` stands for, and only the instance
 * knows which copy of axios it belongs to: so a child of it is asked, without anything of its own. Its one
 * request interceptor hands over our configuration in place of the child's, and all it does with it is to call
 * the adapter.
 */

import type { Adapter, InstanceShape, RequestConfig, ResponseShape } from './shapes.js';

/** What the child's request carries; functions pass through axios's merging as they are. */
interface Carrier {
  readonly carried: () => RequestConfig;
}

/** In a box, since axios would add to the stack of an error at each layer that it passes. */
interface Settled {
  readonly response?: ResponseShape;
  readonly error?: unknown;
}

export class Child {
  private readonly parent: InstanceShape;
  private instance: InstanceShape | undefined = undefined;

  constructor(parent: InstanceShape) {
    this.parent = parent;
  }

  /** As an adapter would send it. */
  readonly send: Adapter = async (config) => {
    this.instance ??= childOf(this.parent);
    const { transformRequest, transformResponse } = config;
    // Both are the caller's instance's to run, once.
    config.transformRequest = undefined;
    config.transformResponse = undefined;
    try {
      const carrier: Carrier = { carried: () => config };
      const { response, error } = (await this.instance.request(carrier)) as Settled;
      if (response === undefined) throw error;
      return response;
    } finally {
      config.transformRequest = transformRequest;
      config.transformResponse = transformResponse;
    }
  };

  /** With everything that axios adds to it. */
  uri(config: RequestConfig): string {
    this.instance ??= childOf(this.parent);
    return this.instance.getUri(config);
  }
}

function childOf(parent: InstanceShape): InstanceShape {
  const child = parent.create();
  const defaults = child.defaults as Record<string, unknown>;
  // What is handed over has been merged already.
  for (const key of Object.keys(defaults)) delete defaults[key];
  const { request, response } = child.interceptors;
  request.use(({ carried }: Carrier) => carried(), null, { synchronous: true });
  response.use(
    (value: ResponseShape): Settled => ({ response: value }),
    (error): Settled => ({ error }),
  );
  return child;
}
