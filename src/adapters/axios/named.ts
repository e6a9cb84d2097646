/**
 * axios's adapters by name. Only the copy of axios that the instance belongs to knows which function `'http'` stands
 * for. Nothing is imported to find out: an axios that is loaded already is asked, if it is that copy. Otherwise a child
 * of the instance is asked, which always works but costs a tenth of a request.
 */

import { builtinModule } from '../../kernel/builtin-module.js';
import { Child } from './child.js';
import type { Adapter, InstanceShape, RequestConfig, ResponseShape } from './shapes.js';

type GetAdapter = (names: unknown, config: RequestConfig) => Adapter;

/** The parts of axios that are needed here. Each copy of axios has its own class of headers. */
interface Axios {
  readonly getAdapter?: GetAdapter;
  readonly AxiosHeaders?: unknown;
}

interface Modules {
  createRequire(from: string): {
    /** Every module that was ever required, by file name. */
    readonly cache: Readonly<Record<string, { readonly exports: Axios | null } | undefined>>;
  };
}

export class NamedAdapters extends Child {
  private getAdapter: GetAdapter | undefined;
  private isSought = false;

  constructor(instance: InstanceShape) {
    super(instance);
    this.getAdapter = (instance as Axios).getAdapter;
  }

  override sendBy(adapters: unknown, config: RequestConfig): Promise<ResponseShape> {
    if (!this.isSought && this.getAdapter === undefined) this.seek(config.headers.constructor);
    if (this.getAdapter === undefined || !adapters) return super.sendBy(adapters, config);
    return this.getAdapter(adapters, config)(config);
  }

  /** Looks for that copy in Node only, where a server's milliseconds count. */
  private seek(Headers: unknown): void {
    this.isSought = true;
    const take = (axios: object): void => {
      const { getAdapter, AxiosHeaders } = axios as Axios;
      if (AxiosHeaders === Headers) this.getAdapter = getAdapter;
    };
    const modules = builtinModule<Modules>('node:module');
    if (modules === undefined) return;
    for (const axios of loadedByRequire(modules)) take(axios);
    // If none of these is the right copy, the ES module of axios most likely is, and it is loaded already: this import
    // then loads nothing.
    if (this.getAdapter === undefined) import('axios').then(take, () => undefined);
  }
}

/** Other packages are not touched: reading their exports may have side effects. */
function loadedByRequire({ createRequire }: Modules): Axios[] {
  try {
    const { cache } = createRequire('/any.js');
    const files = Object.keys(cache).filter((file) => /[\\/]axios[\\/]dist[\\/]/.test(file));
    return files.flatMap((file) => cache[file]?.exports ?? []);
  } catch {
    // Not every platform with a `require` gives access to its cache.
    return [];
  }
}
