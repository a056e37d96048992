import { z } from "zod";
import type { StateOutput, StateResource } from "../../shared/api/terraform-revisions.ts";

const hidden = "(sensitive)";
/** Providers do not mark every secret, and a reader of a list needs none of them. */
const secretName = /passw(?:or)?d|secret|token|private_key|api_?key|credential|connection_string/i;

const step = z.looseObject({ value: z.unknown() });
const instance = z.looseObject({
  index_key: z.union([z.string(), z.number()]).nullish(),
  status: z.string().nullish(),
  schema_version: z.number().nullish(),
  attributes: z.record(z.string(), z.unknown()).nullish(),
  sensitive_attributes: z.array(z.array(step)).nullish().catch(null),
});
const stateShape = z.looseObject({
  outputs: z
    .record(
      z.string(),
      z.looseObject({ value: z.unknown(), type: z.unknown(), sensitive: z.boolean().nullish() }),
    )
    .nullish(),
  resources: z
    .array(
      z.looseObject({
        module: z.string().nullish(),
        mode: z.string().nullish(),
        type: z.string(),
        name: z.string(),
        provider: z.string().nullish(),
        instances: z.array(instance).nullish(),
      }),
    )
    .nullish(),
});

/** What a state has, for people: nothing sensitive is in it. */
export type StateSummary = {
  readonly resources: readonly StateResource[];
  readonly outputs: readonly StateOutput[];
};

/** Reads a state's text; undefined for what is no state of terraform's. */
export function summarizeState(text: string): StateSummary | undefined {
  const { success, data: state } = stateShape.safeParse(JSON.parse(text));
  if (!success) return undefined;
  const outputs = Object.entries(state.outputs ?? {}).map(([name, output]) => {
    const sensitive = output.sensitive === true || secretName.test(name);
    return {
      name,
      type: output.type ?? null,
      sensitive,
      ...(!sensitive && { value: output.value }),
    };
  });
  return {
    resources: (state.resources ?? []).map(toResource),
    outputs: outputs.toSorted((a, b) => (a.name < b.name ? -1 : 1)) as StateOutput[], // value may be absent
  };
}

type Resource = NonNullable<z.infer<typeof stateShape>["resources"]>[number];

function toResource(resource: Resource): StateResource {
  const { type, name } = resource;
  const mode = resource.mode ?? "managed";
  const module = resource.module ?? "";
  const address = [module, mode === "data" ? "data" : "", type, name].filter(Boolean).join(".");
  const instances = (resource.instances ?? []).map(toInstance);
  return { address, module, mode, type, name, provider: resource.provider ?? "", instances };
}

function toInstance(given: z.infer<typeof instance>): StateResource["instances"][number] {
  const paths = (given.sensitive_attributes ?? []).map((path) =>
    path.map(({ value }) => (isKey(value) ? value : keyOf(value))),
  );
  const attributes = hideByName(structuredClone(given.attributes ?? {})) as Record<string, unknown>; // as it was
  for (const path of paths) hide(attributes, path);
  return {
    index_key: given.index_key ?? null,
    status: given.status ?? "",
    schema_version: given.schema_version ?? 0,
    attributes,
    sensitive_attributes: paths.map((path) => path.join(".")),
  };
}

const isKey = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** An index is written as a value with its type. */
function keyOf(value: unknown): string | number {
  const inner = step.safeParse(value).data?.value;
  return isKey(inner) ? inner : "";
}

function hide(from: Record<string | number, unknown>, path: readonly (string | number)[]): void {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(from, key)) return;
  const inner = from[key];
  if (rest.length === 0 || typeof inner !== "object" || inner === null) from[key] = hidden;
  else hide(inner as Record<string | number, unknown>, rest); // an object or an array
}

function hideByName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideByName);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isSecret = secretName.test(name) && typeof inner === "string" && inner !== "";
      return [name, isSecret ? hidden : hideByName(inner)];
    }),
  );
}
