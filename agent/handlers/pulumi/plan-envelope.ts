import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { digestOf, isChange, type Step } from "./engine-events.ts";

const step = z.object({ op: z.string(), urn: z.string(), inputs: z.string() });
const schema = z.object({
  format: z.literal("svc-pulumi-plan/1"),
  pulumi_version: z.string(),
  project: z.string(),
  stack: z.string(),
  destroy: z.boolean(),
  /** Of the state that it was made from; 0: there was none. */
  state_revision: z.int(),
  source_revision: z.string(),
  config_sha256: z.string(),
  steps: z.array(step),
  /** For people. */
  display: z.string(),
  /** The file of `preview --save-plan`, to which an update is held; null: it is held to the steps. */
  saved_plan: z.string().nullable(),
});

/** What a planning job hands to the job that applies: all that an approval binds. */
export type PlanEnvelope = z.infer<typeof schema>;

export type PlannedStep = z.infer<typeof step>;

const mostBytes = 256 * 2 ** 20;

/** The bytes of a plan, to be kept as its job's result. */
export function packEnvelope(envelope: Omit<PlanEnvelope, "format">): Buffer {
  return gzipSync(JSON.stringify({ format: "svc-pulumi-plan/1", ...envelope }));
}

/** Reads such bytes; undefined when they are something else. */
export function openEnvelope(bytes: Buffer): PlanEnvelope | undefined {
  try {
    const text = gunzipSync(bytes, { maxOutputLength: mostBytes }).toString("utf8");
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The digest by which an apply recognizes the plan that was approved. */
export const planDigest = (bytes: Buffer): string =>
  createHash("sha256").update(bytes).digest("hex");

/** The steps that change something, as they are compared: in one order, whatever ran side by side. */
export function plannedSteps(steps: readonly Step[]): PlannedStep[] {
  return steps
    .filter(({ op }) => isChange(op))
    .map(({ op, urn, before, after }) => ({ op, urn, inputs: digestOf([before, after]) }))
    .toSorted((a, b) => compare(a.urn, b.urn) || compare(a.op, b.op));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
