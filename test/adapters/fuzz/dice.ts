/** Seeded dice: the same seed throws the same numbers on every machine. */

export class Dice {
  #state: number;

  /** The n-th dice of a seed are independent of those before. */
  constructor(seed: number, n: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35)) | 0;
    this.#draw();
  }

  /** From `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#draw() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.#draw() < share;
  }

  oneOf<const T>(list: readonly T[]): T {
    const item = list[this.whole(0, list.length - 1)];
    if (item === undefined) throw new RangeError('nothing to choose from');
    return item;
  }

  some<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: this.whole(least, most) }, make);
  }

  // mulberry32
  #draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}
