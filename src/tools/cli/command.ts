/**
 * What a command is. Its table of options is the only source: of how arguments are read, of the types that `run`
 * is given, and of the help.
 */

import type { Io } from './io.js';

export interface Command<Options extends OptionTable = OptionTable> {
  /** One word, or a group and one: `outage server`. */
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly operands?: Operands;
  readonly options: Options;
  /** What there is to say beyond the options: paragraphs, examples. */
  readonly details?: string;
  /** To the exit code. What is wrong is thrown: a `Failure` or a `PolicyError`. */
  run(given: Given<Options>, io: Io): Promise<number>;
}

/** What stands there without dashes. */
export interface Operands {
  /** As the usage line has it: `<policy.json>`. */
  readonly usage: string;
  readonly least: number;
  readonly most: number;
}

export interface Given<Options extends OptionTable = OptionTable> {
  readonly options: { readonly [Name in keyof Options]: ValueOf<Options[Name]> };
  readonly operands: readonly string[];
}

// ---------------------------------------------------------------- options

/** By name, without the dashes. */
export type OptionTable = Readonly<Record<string, Option>>;

export type Option = Flag | Text | List | Quantity;

interface Described {
  readonly summary: string;
}

/** `--json` */
export interface Flag extends Described {
  readonly kind: 'flag';
}

/** `--out report.html` */
export interface Text extends Described {
  readonly kind: 'text';
  /** What stands for its value in the help: `file`. */
  readonly value: string;
  readonly default?: string;
}

/** `--policy a.json --policy b.json` */
export interface List extends Described {
  readonly kind: 'list';
  readonly value: string;
}

/** A number, or a duration: `250ms`, `2s`, `1.5m`, read into milliseconds; without a unit, it is in seconds. */
export interface Quantity extends Described {
  readonly kind: 'number' | 'integer' | 'duration';
  readonly default?: number;
  readonly least?: number;
  readonly most?: number;
}

/** One that always has a value. */
export type SureQuantity = Quantity & { readonly default: number };

type ValueOf<Kind extends Option> = Kind extends Flag
  ? boolean
  : Kind extends List
    ? readonly string[]
    : Kind extends Text
      ? OrDefault<Kind, string>
      : OrDefault<Kind, number>;

type OrDefault<Kind extends Option, Value> = Kind extends { readonly default: Value }
  ? Value
  : Value | undefined;

/** Keeps what the table says, so that `run` knows what it is given. */
export function defineCommand<const Options extends OptionTable>(command: Command<Options>): Command {
  return command;
}
