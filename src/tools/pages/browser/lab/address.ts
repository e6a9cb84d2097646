/** Keeps the page's address up to date with the lab. It replaces the address, so that the history does not grow. */

/** Safari allows a hundred changes in half a minute, and a slider makes more. */
const quietMs = 400;

export class Address {
  #writing: ReturnType<typeof setTimeout> | undefined;

  /** `link`: what follows the `#`. */
  write(link: string): void {
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => history.replaceState(null, '', `#${link}`), quietMs);
  }

  /** Drops a link that has not been written yet. */
  forget(): void {
    clearTimeout(this.#writing);
  }
}
