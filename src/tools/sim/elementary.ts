/**
 * Logarithm and power, computed with + - * / alone. IEEE 754 rounds these the same on every machine; `Math.log`,
 * `Math.exp` and `**` may differ in the last digit from one engine to another, and then two runs take different paths.
 */

const bits = new DataView(new ArrayBuffer(8));

/** Natural logarithm of a finite number above 0 that is not subnormal. */
export function ln(x: number): number {
  bits.setFloat64(0, x);
  const high = bits.getUint32(0);
  let exponent = (high >>> 20) - 1023;
  bits.setUint32(0, (high & 0xf_ffff) | (1023 << 20));
  let mantissa = bits.getFloat64(0);
  // Into [√½, √2), where the series below needs the fewest terms.
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent += 1;
  }
  return exponent * Math.LN2 + lnNearOne(mantissa);
}

/** 2 artanh((m - 1) / (m + 1)); the series ends where its terms no longer change a double. */
function lnNearOne(mantissa: number): number {
  const s = (mantissa - 1) / (mantissa + 1);
  const square = s * s;
  let sum = 0;
  for (let odd = 23; odd >= 1; odd -= 2) sum = sum * square + 1 / odd;
  return 2 * s * sum;
}

/** A base above 0, to any power; saturates instead of overflowing. */
export function power(base: number, exponent: number): number {
  return exp(exponent * ln(base));
}

/** e to any power. */
export function exp(x: number): number {
  const halvings = Math.round(x / Math.LN2);
  if (halvings > 1023) return Number.MAX_VALUE;
  if (halvings < -1022) return 0;
  const rest = x - halvings * Math.LN2;
  let sum = 1;
  for (let term = 17; term >= 1; term -= 1) sum = 1 + (sum * rest) / term;
  bits.setUint32(0, (halvings + 1023) << 20);
  bits.setUint32(4, 0);
  return sum * bits.getFloat64(0);
}
