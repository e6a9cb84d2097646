import { onTestFinished } from 'vitest';

/** The rejections that are not handled, until the end of the test, in place of Vitest's own listeners. */
export function unhandled(): unknown[] {
  const errors: unknown[] = [];
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => void errors.push(error));
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });
  return errors;
}
