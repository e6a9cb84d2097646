/** A body that was read before it came to us, or may not be kept: it is sent once, as it is. */

interface SpentBody {
  readonly isReplayable: false;
  next(): unknown;
}

export function spentBody(body: unknown): SpentBody {
  return { isReplayable: false, next: () => body };
}
