/** A progress bar on a terminal, which appears only when the work takes more than a second. */

import type { Printer } from './printer.js';

const patienceMs = 1_000;
const betweenMs = 100;
const barWidth = 24;
const clearLine = '\r\u001b[K';

export class Progress {
  private readonly out: Printer;
  private readonly now: () => number;
  private drawAt: number;
  private isDrawn = false;

  constructor(out: Printer, now: () => number = () => performance.now()) {
    this.out = out;
    this.now = now;
    this.drawAt = out.isTerminal ? now() + patienceMs : Infinity;
  }

  /** Whether there is a terminal to show it. */
  get isOn(): boolean {
    return this.drawAt < Infinity;
  }

  show(share: number, what: string): void {
    const now = this.now();
    if (now < this.drawAt) return;
    this.drawAt = now + betweenMs;
    this.isDrawn = true;
    const filled = Math.round(share * barWidth);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    const line = `${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}${percent}  ${what}`;
    // A line that the terminal wraps could not be removed as a whole.
    this.out.write(`${clearLine}${line.slice(0, this.out.width - 1)}`);
  }

  /** Removes the bar, before something else is printed and at the end. */
  clear(): void {
    if (this.isDrawn) this.out.write(clearLine);
    this.isDrawn = false;
  }
}
