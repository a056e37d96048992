import { z } from "zod";
import type { Json, JsonObject } from "../../shared/app-config/templates/json-value.ts";
import { renderTemplate } from "../../shared/app-config/templates/render-template.ts";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import type { RenderFault } from "../../shared/app-config/templates/rendering.ts";
import type { Sensitive } from "../../shared/app-config/templates/taint.ts";
import { rootsOf } from "../../shared/brands.ts";
import type { Job } from "../jobs/handler.ts";
import { deployFailure } from "./deploy-failure.ts";
import type { ManifestText } from "./read-objects.ts";

const sensitive: z.ZodType<Sensitive> = z.lazy(() =>
  z.union([z.literal(true), z.record(z.string(), sensitive)]),
);
const stated = z.looseObject({
  state: z.record(z.string(), z.unknown()).nullish(),
  state_sensitive: sensitive.nullish(),
});
const branded = z.looseObject({ brands: z.array(z.string()).nullish().catch(undefined) });

/** What templates of an artifact are rendered with. */
export type PlanState = {
  /** By each name that `.svc` has. */
  readonly state: JsonObject;
  readonly sensitive: Sensitive;
};

/** What a plan's member has of that; undefined: templates stay as they are. */
export function readPlanState(member: unknown, plan: unknown): PlanState | undefined {
  const { state, state_sensitive: marks } = stated.safeParse(member).data ?? {};
  if (state == null) return undefined;
  const roots = rootsOf(branded.safeParse(plan).data?.brands ?? []);
  const byRoots = <Value>(value: Value) => Object.fromEntries(roots.map((root) => [root, value]));
  return { state: byRoots(state as Json), sensitive: byRoots(marks ?? {}) }; // a plan is JSON
}

/**
 * Renders files of an artifact as the broker renders configs: with the same functions and bounds, all of them together. What is made of
 * sensitive values is kept out of logs and of all that is shown. Throws JobFailure that names each file and line.
 */
export function renderTexts(
  job: Pick<Job, "addSecret">,
  texts: readonly ManifestText[],
  known: PlanState | undefined,
): ManifestText[] {
  if (known === undefined) return [...texts];
  const work = new RenderWork();
  const faults: RenderFault[] = [];
  const rendered = texts.map(({ name, text }) => {
    if (!text.includes("{{")) return { name, text };
    const by = { sensitive: known.sensitive, work };
    const made = renderTemplate(text, known.state, { file: name, member: "" }, by);
    faults.push(...(made.faults ?? []));
    for (const secret of made.masked?.secrets ?? []) job.addSecret(secret);
    return { name, text: made.text ?? "" };
  });
  if (faults.length > 0) throw faultsFailure(faults);
  return rendered;
}

const mostFaults = 20;

function faultsFailure(faults: readonly RenderFault[]) {
  const lines = faults
    .slice(0, mostFaults)
    .map(({ file, line, detail }) => `${file}:${line}: ${detail}`);
  const isMissing = faults.every(({ code }) => code === "missing_value");
  return deployFailure(`${lines.join("\n")}.`, isMissing ? "missing_value" : "render_failed");
}
