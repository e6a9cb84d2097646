/** The package as it is loaded without Node's modules, as in a browser. */

import { onTestFinished, vi } from 'vitest';

export async function loadWithoutNode(): Promise<typeof import('../../src/index.js')> {
  vi.resetModules();
  const lookup = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  onTestFinished(() => {
    lookup.mockRestore();
    vi.resetModules();
  });
  return import('../../src/index.js');
}
