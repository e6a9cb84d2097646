/**
 * Parses Structured Fields (RFC 9651): lists and dictionaries of items, either whole or not at all. No field that is read
 * here has inner lists. Integers and names (Strings, Tokens) have a value here. The other types become null, Decimals such
 * as 0.0 among them, but they must be well formed, too.
 */

export type Value = number | string | null;
export type Parameters = ReadonlyMap<string, Value>;
export type Item = readonly [value: Value, parameters: Parameters];

export function parseList(text: string): readonly Item[] {
  return membersOf(text, (take) => [bareItemOf(take), parametersOf(take)]);
}

export function parseDictionary(text: string): ReadonlyMap<string, Item> {
  return new Map(
    membersOf(text, (take) => {
      const [name, value] = namedOf(take);
      return [name, [value, parametersOf(take)]];
    }),
  );
}

const key = /^[a-z*][a-z\d_.*-]*/;
const equals = /^=/;
/** A number, a String, a Token, a Boolean, a Date, a Byte Sequence (padded or not) or a Display String. */
const bareItem =
  /^(?:-?(?:\d{1,12}\.\d{1,3}|\d{1,15})|"(?:[ !#-[\]-~]|\\["\\])*"|[A-Za-z*][\w:/!#$%&'*+.^`|~-]*|\?[01]|@-?\d{1,15}|:(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?:|%"(?:[ !#$&-~]|%[\da-f]{2})*")/;

/** Takes what the pattern matches at the beginning of what is left: an empty text if that is nothing. */
type Take = (pattern: RegExp) => string;

/** Section 4.2.1: members are separated by commas, and none follows the last. */
function membersOf<T>(text: string, read: (take: Take) => T): readonly T[] {
  let left = text;
  const take: Take = (pattern) => {
    const found = pattern.exec(left)?.[0] ?? '';
    left = left.slice(found.length);
    return found;
  };
  const members: T[] = [];
  take(/^ */);
  while (left !== '') {
    members.push(read(take));
    take(/^[ \t]*/);
    if (left !== '') needed(take(/^,[ \t]*(?!$)/));
  }
  return members;
}

function needed(found: string): string {
  if (found === '') throw new SyntaxError('No structured field');
  return found;
}

function parametersOf(take: Take): Parameters {
  const parameters = new Map<string, Value>();
  while (take(/^; */)) parameters.set(...namedOf(take));
  return parameters;
}

/** A key without a value is true (sections 3.1.2 and 3.2). */
function namedOf(take: Take): [name: string, value: Value] {
  return [needed(take(key)), take(equals) ? bareItemOf(take) : null];
}

function bareItemOf(take: Take): Value {
  const text = needed(take(bareItem));
  if (/^-?\d+$/.test(text)) return Number(text);
  if (text[0] === '"') return text.slice(1, -1).replace(/\\(.)/g, '$1');
  if (/^[A-Za-z*]/.test(text)) return text;
  // The bytes of a Display String must be UTF-8. No other type that is left has a "%".
  decodeURIComponent(text.slice(1));
  return null;
}
