const CONVERSION = /%[-+ #0']{0,6}(\d{1,9}|\*|)(?:\.(\d{1,9}|\*|))?([a-zA-Z%])/g;

/**
 * A number for JavaScript to round to a number of decimals. Where it lies exactly between two results, C takes
 * the even one and JavaScript the larger one: then this is a number just nearer to zero.
 */
function roundable(number: number, decimals: number): number {
  const isHalf = Math.abs((number * 2 ** (decimals + 1)) % 2) === 1;
  const scaled = decimals < 0 ? Math.abs(number) / 10 ** -decimals : Math.abs(number) * 10 ** decimals;
  return isHalf && Math.floor(scaled) % 2 === 0 ? number * (1 - 2 ** -52) : number;
}

function decimalsOf(number: number, kind: string, digits: number): number {
  if (/[fF]/.test(kind)) return digits;
  const exponent = Number(number.toExponential().split("e")[1]);
  return /[eE]/.test(kind) ? digits - exponent : (digits || 1) - 1 - exponent;
}

/** The values of a `printf`, of which those that JavaScript would round up instead of to even are changed. */
export function roundableValues(format: string, values: readonly string[]): string[] {
  const slots = Array.from(format.matchAll(CONVERSION), ([, width, digits, kind = ""]) => [
    ...(width === "*" ? ["*"] : []),
    ...(digits === "*" ? ["*"] : []),
    ...(kind === "%" ? [] : [{ kind, digits }]),
  ]).flat();
  return values.map((value, index) => {
    const slot = slots[index % slots.length];
    if (slot === undefined || typeof slot === "string" || !/[eEfFgG]/.test(slot.kind)) return value;
    if (!/^[-+]?[\d.]+(?:[eE][-+]?\d+)?$/.test(value) || !Number.isFinite(Number(value))) return value;
    const digits = Number(slot.digits === "*" ? values[index - 1] : (slot.digits ?? 6));
    const number = Number(value);
    const rounded = roundable(number, decimalsOf(number, slot.kind, digits));
    return rounded === number ? value : String(rounded);
  });
}
