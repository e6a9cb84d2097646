/** Facts of a fuzz run that only the process knows. */

export function listenToProcess(hear: (what: string) => void): () => void {
  const onRejection = (reason: unknown): void => hear(`unhandled rejection: ${stackOf(reason)}`);
  const onException = (error: unknown): void => hear(`uncaught exception: ${stackOf(error)}`);
  const onWarning = (warning: Error): void => {
    if (warning.name !== 'ExperimentalWarning') hear(`warning: ${stackOf(warning)}`);
  };
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  process.on('warning', onWarning);
  return () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onException);
    process.off('warning', onWarning);
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Timers and sockets that keep the process alive. */
export function openHandles(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(Timeout|TCP)/.test(kind)).length;
}
