/** Bytes that tell where they belong: no piece of one content fits anywhere else, or into another one. */

// A prime, so that no power-of-two chunk size comes round to the same bytes.
const period = 65_521;
const blocks = new Map<string, Buffer>();

/** The bytes from `from` up to `to` of the content with this mark (two marks: two representations). */
export function contentOf(mark: string, from: number, to: number): Buffer {
  const block = blockOf(mark);
  const start = from % period;
  if (start + to - from <= block.length) return block.subarray(start, start + to - from);
  const pieces: Buffer[] = [];
  for (let at = from; at < to; at += period - (at % period)) {
    const offset = at % period;
    pieces.push(block.subarray(offset, Math.min(period, offset + to - at)));
  }
  return Buffer.concat(pieces);
}

function blockOf(mark: string): Buffer {
  const known = blocks.get(mark);
  if (known !== undefined) return known;
  const block = Buffer.alloc(2 * period);
  let state = 0x9e3779b9;
  for (const byte of Buffer.from(mark)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  for (let at = 0; at < period; at++) {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    block[at] = (state >>> 16) & 0xff;
  }
  block.copyWithin(period, 0, period);
  blocks.set(mark, block);
  return block;
}
