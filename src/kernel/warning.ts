/** Warnings go where the process shows its own, or to the console. */

interface Host {
  readonly process?: {
    emitWarning?(warning: Error): void;
  };
}

const host = globalThis as Host;

export function warn(warning: Error): void {
  if (host.process?.emitWarning === undefined) console.warn(warning);
  else host.process.emitWarning(warning);
}

/**
 * Policies are usually written by people, so there are few different warnings. If a program makes policies, the first
 * 100 warnings are enough.
 */
const told: Set<string> = new Set();
const mostTold = 100;

/** Shows each text only once, however many retriers there are. */
export function warnOnce(text: string): void {
  if (told.has(text) || told.size === mostTold) return;
  told.add(text);
  warn(new Error(`undaunted: ${text}`));
}
