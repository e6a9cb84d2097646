/** The page's address says what the lab shows. It is replaced, so that no change becomes a step of the history. */

/** Safari allows a hundred changes in half a minute, and a slider makes more. */
const quietMs = 400;

export class Address {
  #writing: ReturnType<typeof setTimeout> | undefined;

  /** `link`: what is to follow the `#`. */
  write(link: string): void {
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => history.replaceState(null, '', `#${link}`), quietMs);
  }

  /** A link that is still to be written is not written any more. */
  forget(): void {
    clearTimeout(this.#writing);
  }
}
