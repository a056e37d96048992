import { z } from "zod";
import type { StateOutput, StateResource } from "../../shared/api/terraform-revisions.ts";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { hideSensitive, readSensitivePaths } from "./hide-sensitive.ts";
import { hideAll, isSecretName, redactValue } from "./redact-value.ts";

const instanceShape = z.looseObject({
  index_key: z.union([z.string(), z.number()]).nullish(),
  deposed: z.string().nullish(),
  status: z.string().nullish(),
  schema_version: z.number().nullish(),
  attributes: z.record(z.string(), z.unknown()).nullish(),
  sensitive_attributes: z.unknown().optional(),
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
  value: z.unknown().optional(),
  type: z.unknown().optional(),
  sensitive: z.boolean().nullish(),
});
const stateShape = z.looseObject({
  outputs: z.record(z.string(), z.unknown()).nullish(),
  resources: z.array(z.unknown()).nullish(),
});

/** A state as people are shown it: without anything sensitive. */
export type StateSummary = {
  readonly resources: readonly StateResource[];
  readonly outputs: readonly StateOutput[];
};

/** Parses a state, its resources only when they are wanted; undefined when the text is not a Terraform state. */
export function summarizeState(
  text: string,
  wanted: { readonly resources: boolean } = { resources: true },
): StateSummary | undefined {
  const { success, data: state } = stateShape.safeParse(parseExactly(text));
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
  if (sensitive) return { name, type: kindOf(output.type), sensitive } as StateOutput; // without a value
  return { name, type: output.type ?? null, sensitive, value: redactValue(output.value ?? null) };
}

const kinds = ["string", "number", "bool", "dynamic", "list", "set", "map", "object", "tuple"];

/** A type without the names of its members, which may be sensitive. */
function kindOf(type: unknown): string | null {
  const kind: unknown = Array.isArray(type) ? type[0] : type;
  return kinds.find((one) => one === kind) ?? null;
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

function toInstance(
  type: string,
  given: z.infer<typeof instanceShape>,
): StateResource["instances"][number] {
  const paths = readSensitivePaths(given.sensitive_attributes);
  const { attributes, hiddenAt } = hideSensitive(given.attributes ?? {}, paths);
  return {
    index_key: given.index_key ?? null,
    deposed: given.deposed ?? null,
    status: given.status ?? "",
    schema_version: given.schema_version ?? 0,
    attributes: shownAttributes(attributes, { isSecret: isSecretName(type) }),
    sensitive_attributes: [...hiddenAt],
  };
}

/** A resource that is a secret itself is shown by its identifiers only. */
const shownOfSecrets: ReadonlySet<string> = new Set(["id", "arn", "name"]);

function shownAttributes(
  attributes: Readonly<Record<string, unknown>>,
  { isSecret }: { readonly isSecret: boolean },
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const isHidden = isSecretName(name) || (isSecret && !shownOfSecrets.has(name));
      return [name, isHidden ? hideAll(value) : redactValue(value)];
    }),
  );
}
