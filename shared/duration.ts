const unitNs: Record<string, number> = { ms: 1e6, s: 1e9, m: 60e9, h: 3600e9, d: 86_400e9 };
export const secondNs = 1e9;

/** Nanoseconds of "15m", "25s", "1h30m", "250ms"; undefined when the text says no duration, or over 104 days. */
export function parseDuration(text: string): number | undefined {
  const ns = Math.round(sumUnits(text));
  return Number.isSafeInteger(ns) ? ns : undefined;
}

/** Milliseconds of such a text, for what may last for years. */
export function parseDurationMs(text: string): number | undefined {
  const ms = Math.round(sumUnits(text) / 1e6);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

function sumUnits(text: string): number {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return Number.NaN;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (unitNs[unit ?? ""] ?? 0);
  }
  return total;
}

/** A duration as people write it: "1h30m", "25s", "250ms". */
export function formatDuration(ns: number): string {
  if (ns < secondNs) return `${Math.round(ns / 1e6)}ms`;
  let rest = Math.round(ns / secondNs);
  const parts: string[] = [];
  for (const [unit, seconds] of [
    ["d", 86_400],
    ["h", 3600],
    ["m", 60],
    ["s", 1],
  ] as const) {
    const amount = Math.floor(rest / seconds);
    if (amount > 0) parts.push(`${amount}${unit}`);
    rest -= amount * seconds;
  }
  return parts.join("") || "0s";
}
