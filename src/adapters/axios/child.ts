/**
 * axios's adapters by their names. Only axios can say which function `'http'` stands for, and only the instance
 * knows which copy of axios it belongs to: so a child of it is asked, without anything of its own. Its one
 * request interceptor hands over a copy of ours in place of the child's configuration, and all it does with it is
 * to call the adapter.
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
    const own = copyOf(config);
    const carrier: Carrier = { carried: () => own };
    const { response, error } = (await this.instance.request(carrier)) as Settled;
    if (response === undefined) throw withConfig(error, own, config);
    return withConfig(response, own, config);
  };

  /** With everything that axios adds to it. */
  uri(config: RequestConfig): string {
    this.instance ??= childOf(this.parent);
    return this.instance.getUri(config);
  }
}

/**
 * For one attempt: what comes of it after it was given up must not meet the next one. The transforms are the
 * caller's instance's to run, once.
 */
function copyOf(config: RequestConfig): RequestConfig {
  const copy: RequestConfig = Object.assign(Object.create(null), config);
  copy.transformRequest = undefined;
  copy.transformResponse = undefined;
  return copy;
}

/** The caller sees the caller's configuration; older versions of fetch show a copy of what they were given. */
function withConfig<Result>(result: Result, own: RequestConfig, config: RequestConfig): Result {
  const { response, cause } = Object(result) as Bearer;
  // And they wrap their own error in another.
  for (const bearer of [result as Bearer, response, cause, cause?.response]) {
    if (typeof bearer !== 'object' || bearer === null) continue;
    if (bearer.config === own) bearer.config = config;
    else if (isCopyOf(own, bearer.config)) {
      const { transformRequest, transformResponse } = config;
      Object.assign(bearer.config, { transformRequest, transformResponse });
    }
  }
  return result;
}

interface Bearer {
  config?: RequestConfig;
  readonly response?: Bearer;
  readonly cause?: Bearer;
}

function isCopyOf(own: RequestConfig, shown: RequestConfig | undefined): shown is RequestConfig {
  return shown?.url === own.url && shown?.transformRequest === undefined;
}

function childOf(parent: InstanceShape): InstanceShape {
  // Before 1.9, axios needs to be given something.
  const child = parent.create?.() ?? new (parent.constructor as new (defaults: object) => InstanceShape)({});
  const defaults = child.defaults as Record<string, unknown>;
  // What is handed over has been merged already.
  for (const key of Object.keys(defaults)) delete defaults[key];
  const { request, response } = child.interceptors;
  // A `create` of the caller's own may have equipped it, even with retries.
  request.clear();
  response.clear();
  request.use(({ carried }: Carrier) => carried(), null, { synchronous: true });
  response.use(
    (value: ResponseShape): Settled => ({ response: value }),
    (error): Settled => ({ error }),
  );
  return child;
}
