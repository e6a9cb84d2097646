/**
 * axios's adapters by their names. Which function `'http'` stands for, only the copy of axios knows to which the
 * instance belongs. Nothing is imported for that: what is loaded anyway is asked, if it is that copy, and otherwise
 * a child of the instance, which is always right and costs a tenth of a request.
 */

import { builtinModule } from '../../runtime/builtin-module.js';
import type { Child } from './child.js';
import type { Adapter, InstanceShape, RequestConfig } from './shapes.js';

type GetAdapter = (names: unknown, config: RequestConfig) => Adapter;

/** A copy of axios, as far as it matters; each has a class of headers of its own. */
interface Axios {
  readonly getAdapter?: GetAdapter;
  readonly AxiosHeaders?: unknown;
}

interface Modules {
  createRequire(from: string): {
    /** Of all that was ever required, by its file. */
    readonly cache: Readonly<Record<string, { readonly exports: Axios | null } | undefined>>;
  };
}

export class NamedAdapters {
  private readonly child: Child;
  private getAdapter: GetAdapter | undefined;
  private isSought = false;

  constructor(instance: InstanceShape, child: Child) {
    this.child = child;
    this.getAdapter = (instance as Axios).getAdapter;
  }

  /** As the adapter of that name would send it. */
  readonly send: Adapter = (config) => {
    if (!this.isSought && this.getAdapter === undefined) this.seek(config.headers.constructor);
    const { adapter } = config;
    if (this.getAdapter === undefined || adapter === undefined) return this.child.send(config);
    return this.getAdapter(adapter, config)(config);
  };

  /** Only in Node, where milliseconds of servers count. */
  private seek(Headers: unknown): void {
    this.isSought = true;
    const take = ({ getAdapter, AxiosHeaders }: Axios): void => {
      if (AxiosHeaders === Headers) this.getAdapter = getAdapter;
    };
    const modules = builtinModule<Modules>('node:module');
    if (modules === undefined) return;
    for (const axios of loadedByRequire(modules)) take(axios);
    // If it is not that one, it is loaded already in all probability: then this loads nothing.
    if (this.getAdapter === undefined)
      import('axios').then(
        (axios) => take(axios as unknown as Axios),
        () => undefined,
      );
  }
}

/** Of other packages nothing is touched: what they export may be a trap for whoever looks. */
function loadedByRequire({ createRequire }: Modules): Axios[] {
  try {
    const { cache } = createRequire('/any.js');
    const files = Object.keys(cache).filter((file) => /[\\/]axios[\\/]dist[\\/]/.test(file));
    return files.flatMap((file) => cache[file]?.exports ?? []);
  } catch {
    // Not every platform with a `require` lets itself be asked.
    return [];
  }
}
