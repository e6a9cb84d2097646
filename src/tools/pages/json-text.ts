/**
 * Reads JSON that people have written (RFC 8259). It says where a fault is, by line and column, and what belongs there; it
 * never quotes the text, which may hold a password. A key that an object has twice is a problem, since only the last one
 * would count.
 */

import type { Problem } from '../../index.js';
import { pathTo } from '../../internal.js';

type JsonReading =
  | { readonly kind: 'read'; readonly value: unknown; readonly twice: readonly Problem[] }
  /** `expected`: what belongs there instead. Lines and columns count from 1. */
  | { readonly kind: 'fault'; readonly line: number; readonly column: number; readonly expected: string };

/** No policy and no scenario needs nearly as many. */
const mostLevels = 100;

/** More repeated keys of one file are not looked for. */
const mostTwice = 100;

export function readJsonText(text: string): JsonReading {
  const reader = new JsonText(text);
  const fault = reader.fault();
  if (fault !== undefined) return { kind: 'fault', ...placeOf(text, fault.at), expected: fault.expected };
  return {
    kind: 'read',
    value: JSON.parse(text),
    twice: reader.twice.map(({ at, path }) => problemAt(text, at, path)),
  };
}

function problemAt(text: string, at: number, path: string): Problem {
  const { line, column } = placeOf(text, at);
  return {
    path,
    found: `the same key again, in line ${line}, column ${column}`,
    allowed: 'each key once',
    advice: 'Only the last one would count: remove the others.',
  };
}

function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

interface Fault {
  readonly at: number;
  readonly expected: string;
}

/** An object or a list that has not ended. */
type Level =
  | { readonly kind: 'object'; readonly keys: Set<string>; key: string }
  | { readonly kind: 'list'; index: number };

// Sticky: each matches at the current position.
const space = /[ \t\n\r]*/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;

class JsonText {
  readonly twice: { readonly at: number; readonly path: string }[] = [];
  private readonly text: string;
  private readonly levels: Level[] = [];
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Reads all of it, without recursion. Undefined: it is JSON. */
  fault(): Fault | undefined {
    let expected = this.value();
    while (expected === undefined && this.levels.length > 0) expected = this.next();
    this.take(space);
    if (expected === undefined && this.at < this.text.length)
      expected = 'the end of the text is expected here';
    return expected === undefined ? undefined : { at: this.at, expected };
  }

  /** A value, or the beginning of one. Returns what was expected in its place. */
  private value(): string | undefined {
    this.take(space);
    if (this.take(scalar) !== undefined) return undefined;
    if (this.text[this.at] === '"') return this.string() === undefined ? this.inString() : undefined;
    const isObject = this.skip('{');
    if (!isObject && !this.skip('[')) return 'a value is expected here';
    if (this.levels.length === mostLevels) return `it is nested deeper than ${mostLevels} levels here`;
    this.levels.push(isObject ? { kind: 'object', keys: new Set(), key: '' } : { kind: 'list', index: 0 });
    this.take(space);
    if (this.ends()) return undefined;
    return isObject ? this.member('a key in double quotes or "}" is expected here') : this.value();
  }

  /** What follows a value within an object or a list. */
  private next(): string | undefined {
    this.take(space);
    if (this.ends()) return undefined;
    const level = this.levels.at(-1);
    const isObject = level?.kind === 'object';
    if (!this.skip(',')) return `"," or "${isObject ? '}' : ']'}" is expected here`;
    this.take(space);
    if (isObject) return this.member('a key in double quotes is expected here');
    if (level !== undefined) level.index += 1;
    return this.value();
  }

  private member(expected: string): string | undefined {
    const level = this.levels.at(-1);
    const { at } = this;
    if (this.text[at] !== '"') return expected;
    const key = this.string();
    if (key === undefined) return this.inString();
    if (level?.kind === 'object') {
      level.key = key;
      if (level.keys.has(key) && this.twice.length < mostTwice) this.twice.push({ at, path: this.path() });
      level.keys.add(key);
    }
    this.take(space);
    return this.skip(':') ? this.value() : '":" is expected here';
  }

  private ends(): boolean {
    const isOver = this.levels.at(-1)?.kind === 'object' ? this.skip('}') : this.skip(']');
    if (isOver) this.levels.pop();
    return isOver;
  }

  /** Its content. A loop, because a regular expression may run out of stack in a long text. */
  private string(): string | undefined {
    const { text, at } = this;
    this.at += 1;
    for (let code = text.charCodeAt(this.at); code !== quote; code = text.charCodeAt(this.at)) {
      const isAllowed = code === backslash ? this.take(escaped) !== undefined : code >= firstPrintable;
      if (!isAllowed) {
        this.at = at;
        return undefined;
      }
      if (code !== backslash) this.at += 1;
    }
    this.at += 1;
    return JSON.parse(text.slice(at, this.at)) as string;
  }

  private inString(): string {
    return 'a text begins here that does not end in its line, or holds a character or an escape that JSON does not allow';
  }

  /** `rules[2].maxRetries`: the place where the text is being read. */
  private path(): string {
    return this.levels.reduce(
      (path, level) => pathTo(path, level.kind === 'object' ? level.key : level.index),
      '',
    );
  }

  private skip(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}
