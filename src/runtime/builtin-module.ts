/**
 * A module of Node's, where there is Node, and without an import that a bundle for browsers would stumble over.
 * Asked for when it is used, never when a file of ours is loaded: platforms that lack it load us, too.
 */
export function builtinModule<Module>(id: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): Module | undefined } };
  try {
    return process?.getBuiltinModule?.(id);
  } catch {
    // The `process` of edge runtimes and the like may be a stand-in that throws for what it does not have.
    return undefined;
  }
}
