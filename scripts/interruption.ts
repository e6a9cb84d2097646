/** Ctrl-C for scripts that take minutes: they print what they have found so far, and end with exit code 130. */

/** The exit codes that shells report for these signals: 128 plus the number of the signal. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

class Interruption extends Error {
  override readonly name = 'Interruption';
}

/**
 * Waits for the work or for a signal, whichever comes first. After a signal, it calls `tell` to print what is known so
 * far, and sets the exit code; the caller has to end the work.
 */
export async function interruptible(work: () => Promise<void>, tell: () => void): Promise<void> {
  const { promise: interrupted, reject } = promiseOfInterruption();
  const listeners = Object.entries(exitCodes).map(([signal, exitCode]) => {
    const listener = (): void => {
      process.exitCode = exitCode;
      reject(new Interruption(signal));
    };
    // Only once: the second Ctrl-C kills a script that does not end.
    process.once(signal, listener);
    return [signal, listener] as const;
  });
  try {
    await Promise.race([work(), interrupted]);
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    tell();
  } finally {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  }
}

function promiseOfInterruption(): { promise: Promise<never>; reject: (reason: Interruption) => void } {
  let reject: (reason: Interruption) => void = () => {};
  const promise = new Promise<never>((_, rejectIt) => {
    reject = rejectIt;
  });
  return { promise, reject };
}
