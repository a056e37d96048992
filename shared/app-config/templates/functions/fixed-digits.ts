/** A number that is not negative with this many digits of its fraction; a half goes to the even digit, as in Go. */
export function fixedDigits(value: number, digits: number): string {
  let whole = value;
  let halvings = 0;
  while (!Number.isInteger(whole)) {
    whole *= 2; // exact: a number of JavaScript is a whole one over a power of two
    halvings++;
  }
  const divisor = 1n << BigInt(halvings);
  const scaled = BigInt(whole) * 10n ** BigInt(digits);
  const floor = scaled / divisor;
  const rest = (scaled % divisor) * 2n;
  const isUp = rest > divisor || (rest === divisor && floor % 2n === 1n);
  const rounded = (floor + (isUp ? 1n : 0n)).toString().padStart(digits + 1, "0");
  return digits === 0 ? rounded : `${rounded.slice(0, -digits)}.${rounded.slice(-digits)}`;
}
