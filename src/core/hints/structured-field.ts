/**
 * Parses Structured Fields (RFC 9651): lists and dictionaries, either whole or not at all. Integers and names (Strings,
 * Tokens) have a value here. The other types become null, Decimals such as 0.0 among them, but they must be well formed, too.
 */

export type Value = number | string | null;
export type Parameters = ReadonlyMap<string, Value>;
export type Member = readonly [value: Value, parameters: Parameters];

export function parseList(text: string): Member[] {
  const list: Member[] = [];
  const input = new Input(text);
  eachMember(input, () => list.push(memberOf(input)));
  return list;
}

export function parseDictionary(text: string): ReadonlyMap<string, Member> {
  const dictionary = new Map<string, Member>();
  const input = new Input(text);
  eachMember(input, () => {
    const name = input.need(key);
    // A key without a value is true (section 3.2).
    dictionary.set(name, input.take(equals) === undefined ? [null, parametersOf(input)] : memberOf(input));
  });
  return dictionary;
}

// The patterns are sticky: each must match at the current position.
const spaces = / */y;
const optionalSpace = /[ \t]*/y;
const comma = /,[ \t]*(?!$)/y;
const equals = /=/y;
const semicolon = /; */y;
const key = /[a-z*][a-z\d_.*-]*/y;
const number = /-?(?:\d{1,12}\.\d{1,3}|\d{1,15})/y;
const token = /[A-Za-z*][\w:/!#$%&'*+.^`|~-]*/y;
const string = /"(?:[ !#-[\]-~]|\\["\\])*"/y;
const innerListStart = /\( */y;
const innerListEnd = /\)/y;
const betweenInner = / +|(?=\))/y;
/** A Boolean, a Date, a Byte Sequence (padded or not) or a Display String. */
const other =
  /\?[01]|@-?\d{1,15}|:(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?:|%"(?:[ !#$&-~]|%[\da-f]{2})*"/y;

class Input {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isOver(): boolean {
    return this.at === this.text.length;
  }

  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  need(pattern: RegExp): string {
    const found = this.take(pattern);
    if (found === undefined) throw new SyntaxError(`No structured field, from character ${this.at} on`);
    return found;
  }
}

/** Section 4.2.1: members are separated by commas, and none follows the last. */
function eachMember(input: Input, read: () => void): void {
  input.take(spaces);
  while (!input.isOver) {
    read();
    input.take(optionalSpace);
    if (!input.isOver) input.need(comma);
  }
}

function memberOf(input: Input): Member {
  if (input.take(innerListStart) === undefined) return [bareItemOf(input), parametersOf(input)];
  while (input.take(innerListEnd) === undefined) {
    bareItemOf(input);
    parametersOf(input);
    input.need(betweenInner);
  }
  return [null, parametersOf(input)];
}

function parametersOf(input: Input): Parameters {
  const parameters = new Map<string, Value>();
  while (input.take(semicolon) !== undefined) {
    const name = input.need(key);
    parameters.set(name, input.take(equals) === undefined ? null : bareItemOf(input));
  }
  return parameters;
}

function bareItemOf(input: Input): Value {
  const digits = input.take(number);
  if (digits !== undefined) return digits.includes('.') ? null : Number(digits);
  const quoted = input.take(string);
  if (quoted !== undefined) return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
  const name = input.take(token);
  if (name !== undefined) return name;
  // The bytes of a Display String must be UTF-8. No other type has a "%".
  decodeURIComponent(input.need(other).slice(1));
  return null;
}
