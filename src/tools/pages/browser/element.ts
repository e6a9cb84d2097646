/** Elements of the page, made in one expression. */

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return furnished(document.createElement(name), attributes, children);
}

export function drawing<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  return furnished(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

/** `true` is an attribute without a value, `false` and undefined are none. */
function furnished<E extends Element>(made: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

let made = 0;

/** For what refers to each other: a label and its input, a tab and its panel. */
export function newId(): string {
  made += 1;
  return `part-${made}`;
}
