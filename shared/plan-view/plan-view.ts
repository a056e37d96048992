import { z } from "zod";

/** What is done to a thing; `read`, `keep` and `conflict` change nothing. */
const viewActions = [
  "add",
  "change",
  "replace",
  "remove",
  "import",
  "forget",
  "read",
  "keep",
  "conflict",
] as const;
export type ViewAction = (typeof viewActions)[number];

const viewTools = ["terraform", "pulumi", "helm", "manifests", "job"] as const;
export type ViewTool = (typeof viewTools)[number];

/** What a view may hold: it is read whole by whoever approves, wherever they do. */
export const viewBounds = {
  changes: 1_000,
  outputs: 200,
  fields: 200,
  valueBytes: 4 * 1024,
  nameBytes: 1024,
  textBytes: 256 * 1024,
  totalBytes: 1024 * 1024,
} as const;

const flag = z.boolean().optional();
const value = z.unknown().optional();

const field = z.object({
  path: z.string(),
  /** Absent where there is nothing, and where it may not be shown. */
  before: value,
  after: value,
  /** It is known after the apply. */
  is_unknown: flag,
  is_sensitive: flag,
  forces_replacement: flag,
  /** Only the beginning of a value is here, as text. */
  is_cut: flag,
});
export type ViewField = z.infer<typeof field>;

const action = z.enum(viewActions).catch("change"); // of a newer broker

const change = z.object({
  address: z.string(),
  type: z.string(),
  name: z.string(),
  action,
  provider: z.string().optional(),
  reason: z.string().optional(),
  fields: z.array(field),
  /** It has more fields than are here. */
  is_cut: flag,
});
export type ViewChange = z.infer<typeof change>;

const output = z.object({
  name: z.string(),
  action,
  before: value,
  after: value,
  is_unknown: flag,
  is_sensitive: flag,
  is_cut: flag,
});
export type ViewOutput = z.infer<typeof output>;

const count = z.int().nonnegative();

const planView = z.object({
  /** By this a program knows that it has a view before it. */
  kind: z.literal("plan_view"),
  tool: z.enum(viewTools),
  /** Of all that is planned, also of what is left out; what is imported counts as added, what is forgotten as removed. */
  summary: z.object({ added: count, changed: count, replaced: count, removed: count }),
  /** What somebody changed besides, where the tool tells it. */
  drift: z.object({ added: count, changed: count, removed: count }).optional(),
  is_noop: z.boolean(),
  changes: z.array(change),
  outputs: z.array(output),
  drifted: z.array(change),
  /** How many changes, outputs and drifted things are not here. */
  left_out: count,
  /** What the tool printed, where nobody could make changes of it. */
  text: z.string().optional(),
  is_text_cut: flag,
});

/** What a plan would do, as people and programs are shown it: one shape for all tools. */
export type PlanView = z.infer<typeof planView>;

/** The view that a value is; undefined when it is something else. */
export function readPlanView(given: unknown): PlanView | undefined {
  return planView.safeParse(given).data;
}
