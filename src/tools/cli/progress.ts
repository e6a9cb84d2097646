/** A bar for who waits in front of a terminal, and only if there is something to wait for. */

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
    this.drawAt = out.isTerminal ? now() + patienceMs : Number.POSITIVE_INFINITY;
  }

  /** Whether anybody would see it. */
  get isOn(): boolean {
    return this.drawAt < Number.POSITIVE_INFINITY;
  }

  show(share: number, what: string): void {
    const now = this.now();
    if (now < this.drawAt) return;
    this.drawAt = now + betweenMs;
    this.isDrawn = true;
    const filled = Math.round(share * barWidth);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    this.out.write(`${clearLine}${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}${percent}  ${what}`);
  }

  end(): void {
    if (this.isDrawn) this.out.write(clearLine);
  }
}
