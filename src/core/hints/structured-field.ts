/**
 * Parses Structured Fields (RFC 9651): lists and dictionaries, either whole or not at all. Integers and names (Strings,
 * Tokens) have a value here. The other types become null, Decimals such as 0.0 among them, but they must be well formed, too.
 */

export type Value = number | string | null;
export type Parameters = ReadonlyMap<string, Value>;
export type Member = readonly [value: Value, parameters: Parameters];

export function parseList(text: string): Member[] {
  const list: Member[] = [];
  eachMember(text, (take) => list.push(memberOf(take)));
  return list;
}

export function parseDictionary(text: string): ReadonlyMap<string, Member> {
  const dictionary = new Map<string, Member>();
  eachMember(text, (take) => {
    const name = needed(take(key));
    // A key without a value is true (section 3.2).
    dictionary.set(name, take(equals) === undefined ? [null, parametersOf(take)] : memberOf(take));
  });
  return dictionary;
}

// The patterns are sticky: each must match at the current position.
const key = /[a-z*][a-z\d_.*-]*/y;
const equals = /=/y;
const end = /$/y;
/** A number, a String, a Token, a Boolean, a Date, a Byte Sequence (padded or not) or a Display String. */
const bareItem =
  /-?(?:\d{1,12}\.\d{1,3}|\d{1,15})|"(?:[ !#-[\]-~]|\\["\\])*"|[A-Za-z*][\w:/!#$%&'*+.^`|~-]*|\?[01]|@-?\d{1,15}|:(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?:|%"(?:[ !#$&-~]|%[\da-f]{2})*"/y;

/** Takes what matches at the current position. */
type Take = (pattern: RegExp) => string | undefined;

function needed(found: string | undefined): string {
  if (found === undefined) throw new SyntaxError('No structured field');
  return found;
}

/** Section 4.2.1: members are separated by commas, and none follows the last. */
function eachMember(text: string, read: (take: Take) => void): void {
  let at = 0;
  const take: Take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  take(/ */y);
  while (take(end) === undefined) {
    read(take);
    take(/[ \t]*/y);
    if (take(end) === undefined) needed(take(/,[ \t]*(?!$)/y));
  }
}

function memberOf(take: Take): Member {
  if (take(/\( */y) === undefined) return [bareItemOf(take), parametersOf(take)];
  while (take(/\)/y) === undefined) {
    bareItemOf(take);
    parametersOf(take);
    needed(take(/ +|(?=\))/y));
  }
  return [null, parametersOf(take)];
}

function parametersOf(take: Take): Parameters {
  const parameters = new Map<string, Value>();
  while (take(/; */y) !== undefined) {
    const name = needed(take(key));
    parameters.set(name, take(equals) === undefined ? null : bareItemOf(take));
  }
  return parameters;
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
