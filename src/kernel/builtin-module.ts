/**
 * A built-in module of Node, if the platform has it. There is no import, since a bundle for browsers would fail on it.
 * Callers ask when they use the module, never when a file of ours is loaded: the library also loads on platforms that
 * lack it.
 */
export function builtinModule<Module>(id: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): Module | undefined } };
  try {
    return process?.getBuiltinModule?.(id);
  } catch {
    // Edge runtimes may have a stand-in for `process` that throws for what it does not have.
    return undefined;
  }
}
