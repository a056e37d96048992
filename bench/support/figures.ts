export type Target = { readonly atLeast: number } | { readonly atMost: number };

export type Figure = {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: Target;
  readonly note?: string;
};

/** One row of a Markdown table. */
export function figureRow({ bench, figure, value, unit, target, note = "" }: Figure): string {
  const shown = `${rounded(value).toLocaleString("en")} ${unit}`.trim();
  return `| ${bench} | ${figure} | ${shown} | ${target === undefined ? "" : targetText({ value, target })} | ${note} |`;
}

export const figureHead = "| bench | figure | reached | target | note |\n|---|---|---|---|---|";

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function targetText({ value, target }: { value: number; target: Target }): string {
  const [sign, bound, isMet] =
    "atLeast" in target
      ? ["≥", target.atLeast, value >= target.atLeast]
      : ["≤", target.atMost, value <= target.atMost];
  return `${sign} ${bound.toLocaleString("en")}${isMet ? "" : " (missed)"}`;
}

function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
