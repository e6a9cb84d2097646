/**
 * axios's adapters by name. Only axios knows which function `'http'` stands for, and only the instance knows which copy
 * of axios it belongs to. So the request goes to a child of the instance that has no configuration of its own. The
 * child's only request interceptor replaces its configuration with a copy of ours, and all that the child does is to
 * call the adapter.
 */

import { bearersOf } from '../../drivers/sent-by-axios.js';
import type { Adapter, InstanceShape, RequestConfig, ResponseShape } from './shapes.js';

/** The configuration travels in a function, since functions pass through axios's merging unchanged. */
interface Carrier {
  readonly carried: () => RequestConfig;
}

/** The result travels in an object, since axios would add to an error's stack at each layer that it passes. */
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

  /** Sends a configuration as the adapter that it names would. */
  readonly send: Adapter = (config) => this.sendBy(config.adapter, config);

  /** Sends it by one of these adapters, which axios chooses. */
  async sendBy(adapters: unknown, config: RequestConfig): Promise<ResponseShape> {
    this.instance ??= childOf(this.parent);
    const own = copyOf(config);
    own.adapter = adapters;
    const carrier: Carrier = { carried: () => own };
    const { response, error } = (await this.instance.request(carrier)) as Settled;
    if (response === undefined) throw withConfig(error, own, config);
    return withConfig(response, own, config);
  }

  /** The URL with everything that axios adds to it. */
  uri(config: RequestConfig): string {
    this.instance ??= childOf(this.parent);
    return this.instance.getUri(config);
  }
}

/**
 * A copy for one attempt: what still happens to an attempt that was given up must not affect the next one. The
 * transforms are removed, since the caller's instance runs them, once.
 */
function copyOf(config: RequestConfig): RequestConfig {
  const copy: RequestConfig = Object.assign(Object.create(null), config);
  copy.transformRequest = undefined;
  copy.transformResponse = undefined;
  return copy;
}

/**
 * Puts the caller's configuration back into the result. Older versions of axios's fetch adapter show a copy of what
 * they were given.
 */
export function withConfig<Result>(result: Result, own: RequestConfig, config: RequestConfig): Result {
  const { transformRequest, transformResponse } = config;
  for (const bearer of bearersOf<RequestConfig>(result)) {
    if (bearer.config === own) bearer.config = config;
    else if (isCopyOf(own, bearer.config))
      Object.assign(bearer.config, { transformRequest, transformResponse });
  }
  return result;
}

function isCopyOf(own: RequestConfig, shown: RequestConfig | undefined): shown is RequestConfig {
  return shown?.url === own.url && shown?.transformRequest === undefined;
}

function childOf(parent: InstanceShape): InstanceShape {
  // Before 1.9, axios needs a defaults object.
  const child = parent.create?.() ?? new (parent.constructor as new (defaults: object) => InstanceShape)({});
  const defaults = child.defaults as Record<string, unknown>;
  // The configuration that is handed over has been merged already.
  for (const key of Object.keys(defaults)) delete defaults[key];
  const { request, response } = child.interceptors;
  // The caller may have replaced `create` by one that adds interceptors, even retries.
  request.clear();
  response.clear();
  request.use(({ carried }: Carrier) => carried(), null, { synchronous: true });
  response.use(
    (value: ResponseShape): Settled => ({ response: value }),
    (error): Settled => ({ error }),
  );
  return child;
}
