/** A list whose links are its members. */

/** It is a link of the list itself, so that putting it there allocates nothing. */
export interface Linked<One> {
  earlier: One | undefined;
  later: One | undefined;
}

export class Line<One extends Linked<One>> {
  first: One | undefined = undefined;
  last: One | undefined = undefined;

  putAfter(earlier: One | undefined, one: One): void {
    const later = earlier === undefined ? this.first : earlier.later;
    one.earlier = earlier;
    one.later = later;
    if (earlier === undefined) this.first = one;
    else earlier.later = one;
    if (later === undefined) this.last = one;
    else later.earlier = one;
  }

  remove(one: One): void {
    const { earlier, later } = one;
    if (earlier === undefined) this.first = later;
    else earlier.later = later;
    if (later === undefined) this.last = earlier;
    else later.earlier = earlier;
    one.earlier = undefined;
    one.later = undefined;
  }
}
