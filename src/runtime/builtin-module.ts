/** A module of Node's, where there is Node, and without an import that a bundle for browsers would stumble over. */
export function builtinModule<Module>(id: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): Module | undefined } };
  return process?.getBuiltinModule?.(id);
}
