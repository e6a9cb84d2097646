/** An output stream with its width, and with colours where they belong. */

import { styleText } from 'node:util';
import { wrapIndented } from './table.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** The part of `process.stdout` that is used. */
export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export class Printer {
  readonly isTerminal: boolean;
  private readonly stream: Stream;
  private readonly isColoured: boolean;

  constructor(stream: Stream, env: Environment) {
    this.stream = stream;
    this.isTerminal = stream.isTTY === true;
    this.isColoured = wantsColours(this.isTerminal, env);
  }

  /** In characters; a file or a pipe has no limit. A terminal can be resized, so ask again for each table. */
  get width(): number {
    return this.isTerminal ? this.stream.columns || 80 : Infinity;
  }

  write(text: string): void {
    this.stream.write(text);
  }

  line(text = ''): void {
    this.stream.write(`${this.shown(text)}\n`);
  }

  /** Control characters from files are printed as JSON escapes, so that they cannot control the terminal. Our own colours stay. */
  private shown(text: string): string {
    return text.replace(/\p{Cc}/gu, (character, at: number) => {
      if (character === '\n' || character === '\t') return character;
      if (this.isColoured && character === '\u001b' && /^\[\d+m/.test(text.slice(at + 1, at + 5)))
        return character;
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  }

  /** Sentences, wrapped at the width; what is indented, or stands in a list, stays so. */
  text(text: string, style?: Style): void {
    for (const line of text.split('\n')) {
      for (const part of wrapIndented(line, this.width))
        this.line(style === undefined ? part : this.paint(style, part));
    }
  }

  paint(style: Style, text: string): string {
    // By default, Node would check the process's own streams instead of this one.
    return this.isColoured ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** https://no-color.org, https://force-color.org. */
function wantsColours(isTerminal: boolean, { NO_COLOR = '', FORCE_COLOR, TERM }: Environment): boolean {
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal && TERM !== 'dumb';
}
