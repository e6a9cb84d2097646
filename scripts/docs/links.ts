/** The links between the pages: where they lead, and the anchors that the headings of a page make. */

import type { Page } from './pages.js';

export interface Link {
  readonly line: number;
  /** As it is written: `policy.md#rules`, `#rules`, `../LICENSE`, `https://…`. */
  readonly target: string;
}

/** Links and pictures, but not what merely looks like one in code. */
export function linksIn({ text }: Page): readonly Link[] {
  return linesOutsideCode(text).flatMap(([line, content]) =>
    [...content.replaceAll(/`[^`]*`(?!\])/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({
      line,
      target: match[1] ?? '',
    })),
  );
}

/** The anchors that GitHub and npm make of the headings. */
export function anchorsIn({ text }: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  for (const [, content] of linesOutsideCode(text)) {
    const heading = /^#{1,6} (.*)$/.exec(content)?.[1];
    if (heading === undefined) continue;
    const slug = slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

function slugOf(heading: string): string {
  const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}

function linesOutsideCode(text: string): readonly (readonly [number, string])[] {
  let isCode = false;
  return text.split('\n').flatMap((content, index) => {
    const isFence = content.startsWith('```');
    if (isFence) isCode = !isCode;
    return isCode || isFence ? [] : [[index + 1, content] as const];
  });
}
