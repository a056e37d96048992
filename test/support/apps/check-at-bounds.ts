import { readFileSync } from "node:fs";
import { countValues } from "../../../shared/app-config/count-values.ts";
import { configAtBounds } from "./config-at-bounds.ts";
import { checkTexts } from "./config-of.ts";

/** A program of its own: checks the config at every bound, and tells what is in it and what that cost, as JSON. */
const texts = configAtBounds();
const all = Object.values(texts);
const sum = (numberOf: (text: string) => number): number =>
  all.reduce((total, text) => total + numberOf(text), 0);
const begin = process.cpuUsage();
const { errors, config } = await checkTexts(texts);
const { user, system } = process.cpuUsage(begin);
const told = {
  errors,
  files: all.length,
  bytes: sum((text) => Buffer.byteLength(text)),
  tomlBytes: Object.entries(texts).reduce(
    (total, [name, text]) => total + (name.endsWith(".toml") ? Buffer.byteLength(text) : 0),
    0,
  ),
  templates: sum((text) => text.split("{{").length - 1),
  values: countValues(config?.document, Number.POSITIVE_INFINITY).values,
  cpuMs: Math.round((user + system) / 1000),
  peakMiB: Math.round(peakKiB() / 1024),
};
process.stdout.write(`${JSON.stringify(told)}\n`);

/** Of this program alone: what the system counts for the process begins with its parent's. */
function peakKiB(): number {
  const [, kibibytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kibibytes);
}
