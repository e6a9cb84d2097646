/** Which seconds are shown, and which one is pointed at. All charts of a group share it. */

interface TimeRange {
  readonly from: number;
  readonly to: number;
}

type Listener = () => void;

export class TimeView {
  #seconds: number;
  #range: TimeRange;
  #second: number | undefined = undefined;
  readonly #listeners: Set<Listener> = new Set();

  constructor(seconds: number) {
    this.#seconds = seconds;
    this.#range = this.whole;
  }

  get whole(): TimeRange {
    return { from: 0, to: this.#seconds - 1 };
  }

  get range(): TimeRange {
    return this.#range;
  }

  /** The second that is pointed at. */
  get second(): number | undefined {
    return this.#second;
  }

  zoom({ from, to }: TimeRange): void {
    const { to: last } = this.whole;
    const start = Math.max(0, Math.min(Math.round(from), last - 1));
    const end = Math.min(last, Math.max(Math.round(to), start + 1));
    if (start === this.#range.from && end === this.#range.to) return;
    this.#range = { from: start, to: end };
    this.#tell();
  }

  /** Around the second that is pointed at, or around the middle. */
  zoomBy(factor: number): void {
    const { from, to } = this.#range;
    const around = this.#second ?? (from + to) / 2;
    this.zoom({ from: around - (around - from) * factor, to: around + (to - around) * factor });
  }

  point(second: number | undefined): void {
    if (second === this.#second) return;
    this.#second = second;
    this.#tell();
  }

  /** To the right or, with a negative number, to the left; never out of the range that is shown. */
  step(seconds: number): void {
    const { from, to } = this.#range;
    const start = this.#second ?? (seconds > 0 ? from - 1 : to + 1);
    this.point(Math.max(from, Math.min(to, start + seconds)));
  }

  /** Another run, which may be shorter. */
  restart(seconds: number): void {
    if (seconds === this.#seconds) return;
    this.#seconds = seconds;
    this.#range = this.whole;
    this.#second = undefined;
    this.#tell();
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
