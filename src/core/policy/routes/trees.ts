/** Patterns as trees of segments, one tree per host: a search follows the segments of a path and looks at no other patterns. */

import type { HostPattern, Pattern } from './patterns.js';
import type { Origin } from './target.js';

export interface Node {
  /** Index of the first pattern in here: if the best match so far comes earlier, this node can be skipped. */
  readonly first: number;
  readonly literals: Map<string, Node>;
  any: Node | undefined;
  /** Patterns that end here, and those that continue from here with any rest; ascending. */
  readonly ends: End[];
  readonly rests: End[];
}

export interface End {
  readonly index: number;
  readonly methods: Pattern['methods'];
  readonly test: Pattern['test'];
}

/** One tree of paths for each host that patterns name, and one for those that name none. */
export type Trees = Map<string, Node>;

// Stryker disable next-line StringLiteral: any text that is no host with a port will do.
const anyHost = '';

// Stryker disable next-line StringLiteral: any text that is no port will do.
function treeKey({ name, subdomains, port = '*' }: HostPattern): string {
  return `${subdomains ? '*.' : ''}${name}:${port}`;
}

export function insert(trees: Trees, { methods, host, path, test }: Pattern, index: number): void {
  const key = host === undefined ? anyHost : treeKey(host);
  let node = trees.get(key) ?? emptyNode(index);
  trees.set(key, node);
  for (const segment of path.segments) node = childOf(node, segment, index);
  (path.rest ? node.rests : node.ends).push({ index, methods, test });
}

function childOf(node: Node, segment: string | undefined, index: number): Node {
  if (segment === undefined) {
    node.any ??= emptyNode(index);
    return node.any;
  }
  const child = node.literals.get(segment) ?? emptyNode(index);
  node.literals.set(segment, child);
  return child;
}

function emptyNode(first: number): Node {
  return { first, literals: new Map(), any: undefined, ends: [], rests: [] };
}

/** Trees for an origin, those with the earliest patterns first. */
export function treesFor(trees: Trees, origin: Origin | undefined): readonly Node[] {
  const found = keysOf(origin).flatMap((key) => trees.get(key) ?? []);
  // Stryker disable next-line MethodExpression,ArithmeticOperator,ArrowFunction: the order only lets the search stop earlier.
  return found.sort((a, b) => a.first - b.first);
}

function keysOf(origin: Origin | undefined): readonly string[] {
  if (origin === undefined) return [anyHost];
  const { host, port } = origin;
  const names = [{ name: host, subdomains: false }];
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    names.push({ name: host.slice(dot + 1), subdomains: true });
  }
  return [
    anyHost,
    ...names.flatMap((name) => [treeKey({ ...name, port }), treeKey({ ...name, port: undefined })]),
  ];
}

// ---------------------------------------------------------------- searching

export interface Search {
  /** A pattern must allow all of them. */
  readonly methods: readonly string[];
  readonly path: string;
  /** The segments of the path that were needed so far: each is cut and hashed once. */
  readonly segments: string[];
  /** Position of the next segment's slash. */
  next: number;
  /** The path stands for itself and everything below it. */
  readonly below: boolean;
  /** The first pattern so far that matches for sure. */
  best: number;
  /** Patterns that match if their `test` returns true. */
  tested: End[] | undefined;
}

export const none: number = Infinity;

/** Searches all trees for an origin. */
export function search(
  trees: readonly Node[],
  methods: readonly string[],
  path: string,
  below: boolean,
): Search {
  const found: Search = { methods, path, segments: [], next: 0, below, best: none, tested: undefined };
  for (const tree of trees) descend(tree, 0, found);
  return found;
}

/** undefined: the path has ended. */
function segmentAt(depth: number, search: Search): string | undefined {
  const { path, segments } = search;
  if (depth === segments.length && search.next < path.length) {
    const slash = path.indexOf('/', search.next + 1);
    const end = slash === -1 ? path.length : slash;
    segments.push(path.slice(search.next + 1, end));
    search.next = end;
  }
  return segments[depth];
}

/** Looks for patterns that match from the segment at `depth` on. */
function descend(node: Node, depth: number, search: Search): void {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: what is looked at in vain changes nothing.
  if (node.first >= search.best) return;
  take(node.rests, search);
  const segment = segmentAt(depth, search);
  if (segment === undefined) {
    if (!search.below) take(node.ends, search);
    return;
  }
  const literal = node.literals.get(segment);
  if (literal !== undefined) descend(literal, depth + 1, search);
  if (node.any !== undefined) descend(node.any, depth + 1, search);
}

function take(ends: readonly End[], search: Search): void {
  for (const end of ends) {
    // Stryker disable next-line EqualityOperator: no pattern ends twice in one place.
    if (end.index >= search.best) return;
    if (!allows(end, search.methods)) continue;
    if (end.test === undefined) {
      search.best = end.index;
    } else {
      // Stryker disable next-line ArrayDeclaration: what is no pattern is filtered out by its index.
      search.tested ??= [];
      search.tested.push(end);
    }
  }
}

function allows({ methods }: End, asked: readonly string[]): boolean {
  if (methods === undefined) return true;
  for (const method of asked) if (!methods.has(method)) return false;
  return true;
}
