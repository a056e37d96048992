const bars = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/** Where nothing is known. */
const gap = "·";

/** A row of bars, the highest of which is the largest value; several values that share a column show their largest. */
export function sparkline(values: readonly (number | null)[], mostColumns: number): string {
  const each = Math.max(1, Math.ceil(values.length / mostColumns));
  const columns = Array.from({ length: Math.ceil(values.length / each) }, (_, n) =>
    largest(values.slice(n * each, (n + 1) * each)),
  );
  const top = largest(columns) ?? 0;
  return columns.map((value) => (value === null ? gap : barOf(value, top))).join("");
}

/** The largest of what is known; null where nothing is. */
export function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Only nothing is the lowest bar: what is little beside the largest can be seen. */
function barOf(value: number, top: number): string {
  if (value <= 0 || top <= 0) return bars[0] ?? "";
  return bars[Math.max(1, Math.round((value / top) * (bars.length - 1)))] ?? "";
}
