import { z } from "zod";
import type { StateOutput, StateResource } from "../../shared/api/terraform-revisions.ts";
import { hidden, hideAll, isSecretName, redactValue } from "./redact-value.ts";

const step = z.looseObject({ value: z.unknown() });
const instanceShape = z.looseObject({
  index_key: z.union([z.string(), z.number()]).nullish(),
  status: z.string().nullish(),
  schema_version: z.number().nullish(),
  attributes: z.record(z.string(), z.unknown()).nullish(),
  sensitive_attributes: z.unknown(),
});
const resourceShape = z.looseObject({
  module: z.string().nullish(),
  mode: z.string().nullish(),
  type: z.string(),
  name: z.string(),
  provider: z.string().nullish(),
  instances: z.array(instanceShape).nullish(),
});
const outputShape = z.looseObject({
  value: z.unknown(),
  type: z.unknown(),
  sensitive: z.boolean().nullish(),
});
const stateShape = z.looseObject({
  outputs: z.record(z.string(), z.unknown()).nullish(),
  resources: z.array(z.unknown()).nullish(),
});
const sensitivePaths = z.array(z.array(step));

/** What a state has, for people: nothing sensitive is in it. */
export type StateSummary = {
  readonly resources: readonly StateResource[];
  readonly outputs: readonly StateOutput[];
};

/** Reads a state's text, its resources only where they are wanted; undefined for what is none of terraform's. */
export function summarizeState(
  text: string,
  wanted: { readonly resources: boolean } = { resources: true },
): StateSummary | undefined {
  const { success, data: state } = stateShape.safeParse(JSON.parse(text));
  if (!success) return undefined;
  const outputs = Object.entries(state.outputs ?? {}).map(([name, given]) => toOutput(name, given));
  const given = wanted.resources ? (state.resources ?? []) : [];
  const resources: StateResource[] = [];
  for (const [n, one] of given.entries()) {
    const resource = resourceShape.safeParse(one);
    if (!resource.success) return undefined;
    given[n] = undefined; // a large state is not in memory twice
    resources.push(toResource(resource.data));
  }
  const known = outputs.flatMap((output) => output ?? []);
  if (known.length < outputs.length) return undefined;
  return { resources, outputs: known.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

function toOutput(name: string, given: unknown): StateOutput | undefined {
  const { success, data: output } = outputShape.safeParse(given);
  if (!success) return undefined;
  const sensitive = output.sensitive === true || isSecretName(name);
  const value = sensitive ? {} : { value: redactValue(output.value) };
  return { name, type: output.type ?? null, sensitive, ...value } as StateOutput; // value may be absent
}

type Resource = z.infer<typeof resourceShape>;

function toResource(resource: Resource): StateResource {
  const { type, name } = resource;
  const mode = resource.mode ?? "managed";
  const module = resource.module ?? "";
  const address = [module, mode === "data" ? "data" : "", type, name].filter(Boolean).join(".");
  const instances = (resource.instances ?? []).map((one) => toInstance(type, one));
  return { address, module, mode, type, name, provider: resource.provider ?? "", instances };
}

type Members = Record<string | number, unknown>;
type Path = readonly (string | number)[];

function toInstance(
  type: string,
  given: z.infer<typeof instanceShape>,
): StateResource["instances"][number] {
  const { success, data } = sensitivePaths.safeParse(given.sensitive_attributes ?? []);
  const paths = (data ?? []).map((path) =>
    path.map(({ value }) => (isKey(value) ? value : keyOf(value))),
  );
  const isSecret = isSecretName(type) || !success; // what cannot be read may say that all of it is
  const attributes = shownAttributes(given.attributes ?? {}, { isSecret, paths });
  return {
    index_key: given.index_key ?? null,
    status: given.status ?? "",
    schema_version: given.schema_version ?? 0,
    attributes,
    sensitive_attributes: paths.map((path) => path.join(".")),
  };
}

/** Of a thing that is a secret itself only what it is called. */
const shownOfSecrets: ReadonlySet<string> = new Set(["id", "arn", "name"]);

function shownAttributes(
  given: Readonly<Record<string, unknown>>,
  { isSecret, paths }: { readonly isSecret: boolean; readonly paths: readonly Path[] },
): Record<string, unknown> {
  const attributes: Record<string, unknown> = { ...given };
  for (const path of paths) hide(attributes, path);
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const isHidden = isSecretName(name) || (isSecret && !shownOfSecrets.has(name));
      return [name, isHidden ? hideAll(value) : redactValue(value)];
    }),
  );
}

const isKey = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** An index is written as a value with its type. */
function keyOf(value: unknown): string | number {
  const inner = step.safeParse(value).data?.value;
  return isKey(inner) ? inner : "";
}

/** What is below the path; all of a list in which there is no such place, as a set has none. */
function hide(from: Members, path: Path): void {
  const [key, ...rest] = path;
  if (key === undefined || (Array.isArray(from) && !Object.hasOwn(from, key))) {
    for (const name of Object.keys(from)) from[name] = hidden;
    return;
  }
  if (!Object.hasOwn(from, key)) return;
  const inner = from[key];
  if (rest.length === 0 || typeof inner !== "object" || inner === null) from[key] = hidden;
  else hide(inner as Members, rest); // an object or an array
}
