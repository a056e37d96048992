import type { MachineUse } from "./machine-use.ts";

export type Target = { readonly atLeast: number } | { readonly atMost: number };

export type Figure = {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: Target;
  readonly note?: string;
  /** What the machine did while it was taken. */
  readonly use?: MachineUse | undefined;
};

/** One row of a Markdown table. */
export function figureRow(all: Figure): string {
  const { bench, figure, value, unit, target, note = "", use } = all;
  const shown = `${rounded(value).toLocaleString("en")} ${unit}`.trim();
  const wanted = target === undefined ? "" : targetText({ value, target });
  return `| ${[bench, figure, shown, wanted, useText(use), note].join(" | ")} |`;
}

export const figureHead =
  "| bench | figure | reached | target | idle, foreign CPU | note |\n|---|---|---|---|---|---|";

function useText(use: MachineUse | undefined): string {
  if (use === undefined) return "unknown";
  return `${Math.round(use.idle * 100)} %, ${Math.round(use.foreign * 100)} %`;
}

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
