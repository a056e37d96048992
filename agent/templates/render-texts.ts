import { z } from "zod";
import type { Json, JsonObject } from "../../shared/app-config/templates/json-value.ts";
import { Masks } from "../../shared/app-config/templates/masks.ts";
import { renderTemplate } from "../../shared/app-config/templates/render-template.ts";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import type { Output, RenderFault } from "../../shared/app-config/templates/rendering.ts";
import { type Sensitive, sensitiveTexts } from "../../shared/app-config/templates/taint.ts";
import { rootsOf } from "../../shared/brands.ts";
import type { Job } from "../jobs/handler.ts";
import { deployFailure } from "../kubernetes/deploy-failure.ts";
import type { ManifestText } from "../kubernetes/read-objects.ts";
import { YamlFault } from "../kubernetes/read-yaml.ts";
import { escapeHcl } from "./escape-hcl.ts";
import { Marks, MisplacedValue } from "./marks.ts";
import { putIntoHcl } from "./put-into-hcl.ts";
import { putIntoJson } from "./put-into-json.ts";
import { putIntoYaml } from "./put-into-yaml.ts";
import { valueIn } from "./value-in.ts";

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
 * Renders files of an artifact as the broker renders configs: with the same functions and bounds, all of them together. No value changes
 * what is around it: each is written as its file's language has it, which the file's name tells, by default YAML. What is made of
 * sensitive values is kept out of logs and of all that is shown. Throws JobFailure that names each file and line.
 */
export async function renderTexts(
  job: Pick<Job, "addSecret">,
  texts: readonly ManifestText[],
  known: PlanState | undefined,
): Promise<ManifestText[]> {
  if (known === undefined) return [...texts];
  const work = new RenderWork();
  const marks = new Marks();
  const faults: FileFault[] = [];
  const rendered = texts.map(({ name, text }) => {
    if (!text.includes("{{")) return { name, text };
    const within = new Masks();
    const write = (output: Output): string => {
      noteWithin(within, name, output);
      return marks.mark(output);
    };
    const by = { sensitive: known.sensitive, work, write };
    const made = renderTemplate(text, known.state, { file: name, member: "" }, by);
    faults.push(...(made.faults ?? []));
    for (const secret of made.masked?.secrets ?? []) job.addSecret(marks.plain(secret));
    for (const secret of within.secrets) job.addSecret(secret);
    return { name, text: made.text ?? "" };
  });
  const put: ManifestText[] = [];
  for (const { name, text } of faults.length > 0 ? [] : rendered)
    put.push({ name, text: await putInto(name, text, { marks, faults }) });
  if (faults.length > 0) throw faultsFailure(faults);
  return put;
}

/** Notes the sensitive texts that are within a value, each also as its file has it where that is no form of JSON. */
function noteWithin(masks: Masks, file: string, output: Output): void {
  if (output.taint === undefined) return;
  const value = valueIn(output);
  const isRead = typeof output.value === "string" && typeof value !== "string"; // as JSON, it is sensitive as a whole
  for (const text of sensitiveTexts(value, isRead || output.taint)) {
    masks.add(text);
    const inHcl = file.endsWith(".tfvars") ? escapeHcl(text) : "";
    if (inHcl !== JSON.stringify(text).slice(1, -1)) masks.add(inHcl);
  }
}

type FileFault = Pick<RenderFault, "code" | "file" | "detail"> & { readonly line: number };
type Putting = { readonly marks: Marks; readonly faults: FileFault[] };

async function putInto(file: string, text: string, { marks, faults }: Putting): Promise<string> {
  try {
    if (file.endsWith(".tfvars")) return putIntoHcl(text, marks);
    if (file.endsWith(".json")) return putIntoJson(text, marks);
    return await putIntoYaml(text, marks);
  } catch (error) {
    const code = "render_failed" as const;
    if (error instanceof MisplacedValue)
      faults.push({ code, file, line: error.line, detail: error.message });
    else if (error instanceof YamlFault) {
      const line = Number(/line (\d+)/.exec(error.message)?.[1] ?? 1);
      faults.push({
        code,
        file,
        line,
        detail: `with its templates it is not YAML: ${error.message}`,
      });
    } else throw error;
    return "";
  }
}

const mostFaults = 20;

function faultsFailure(faults: readonly FileFault[]) {
  const lines = faults
    .slice(0, mostFaults)
    .map(({ file, line, detail }) => `${file}:${line}: ${detail}`);
  const isMissing = faults.every(({ code }) => code === "missing_value");
  return deployFailure(`${lines.join("\n")}.`, isMissing ? "missing_value" : "render_failed");
}
