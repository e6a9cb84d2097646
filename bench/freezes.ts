/**
 * Whether the machine has stood still, as virtual machines do now and then. Time limits are over then that nothing was
 * slow for: ours, and those of the peers.
 */

/** How often it has to be asked to look. */
export const lookMs = 1_000;
/** A look that is later than this was kept from coming. */
const mostLateMs = 1_000;
const mostTries = 3;

export class Freezes {
  private readonly now: () => number;
  private lookedAt: number;
  private hasFrozen = false;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
    this.lookedAt = now();
  }

  look(): void {
    const before = this.lookedAt;
    this.lookedAt = this.now();
    if (this.lookedAt - before > lookMs + mostLateMs) this.hasFrozen = true;
  }

  /** Whether there was one since this was asked last. */
  takeOne(): boolean {
    this.look();
    const { hasFrozen } = this;
    this.hasFrozen = false;
    return hasFrozen;
  }
}

/** Does the work anew if it has failed, and the machine has stood still meanwhile. */
export async function againAfterFreeze<T>(freezes: Freezes, work: () => Promise<T>): Promise<T> {
  freezes.takeOne();
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!freezes.takeOne() || tries === mostTries) throw error;
    }
  }
}
