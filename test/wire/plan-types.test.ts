import { expect, test } from "vitest";
import { z } from "zod";
import { buildPlan } from "../../shared/plans/build-plan.ts";
import { imageMetadataPlan } from "../../shared/plans/image-metadata-plan.ts";
import { pulumiBuildPlan } from "../../shared/plans/pulumi-build-plan.ts";
import { pulumiBackend, pulumiPlan } from "../../shared/plans/pulumi-plan.ts";
import { syncPlan } from "../../shared/plans/sync-plan.ts";
import { syncSecretsPlan } from "../../shared/plans/sync-secrets-plan.ts";
import { wireObjects, type WireType, wireWords } from "./wire-types.ts";

const simulated = "A simulation takes what it is to bring in any form.";

/** What is typed otherwise than the wire has it, and why. */
const others: Readonly<Record<string, string>> = {
  "sandbox_mode.helm": simulated,
  "sandbox_mode.kubernetes_manifest": simulated,
  "sandbox_mode.outputs": simulated,
  "sandbox_mode.pulumi": simulated,
  "sandbox_mode.terraform": simulated,
};

const ofPulumi = { state: "Nothing is rendered in a program, so any form will do." };

test.each<[string, z.ZodType, Readonly<Record<string, string>>]>([
  ["BuildPlan", buildPlan, others],
  ["FetchImageMetadataPlan", imageMetadataPlan, others],
  ["SyncOCIPlan", syncPlan, others],
  ["SyncSecretsPlan", syncSecretsPlan, others],
  ["PulumiBuildPlan", pulumiBuildPlan, {}],
  ["PulumiDeployPlan", pulumiPlan, ofPulumi],
  ["PulumiBackend", pulumiBackend, {}],
])("every member of %s is read as the wire types it", (name, schema, besides) => {
  const found = differences(schema, { kind: "named", name }, []);
  expect(found.toSorted()).toEqual(Object.keys(besides).toSorted());
});

/** The places at which a schema does not know a member, or not as this type. */
function differences(given: unknown, type: WireType, at: readonly string[]): string[] {
  const schema = openSchema(given);
  const here = [at.join(".")];
  if (type.kind === "any") return schema === undefined ? here : [];
  if (type.kind === "list")
    return schema instanceof z.ZodArray ? differences(schema.element, type.of, at) : here;
  if (type.kind === "map")
    return schema instanceof z.ZodRecord ? differences(schema.valueType, type.of, at) : here;
  if (type.kind !== "named") return isPlain(schema, type.kind) ? [] : here;
  if (wireWords.has(type.name)) return isPlain(schema, "string") ? [] : here;
  const forms = schema instanceof z.ZodUnion ? schema.options : [schema];
  const object = forms.find((form) => form instanceof z.ZodObject);
  const shape = object === undefined ? {} : object.shape;
  if (Object.keys(shape).length === 0) return here;
  return [...(wireObjects.get(type.name) ?? [])].flatMap(([member, { type }]) =>
    differences(Object.hasOwn(shape, member) ? shape[member] : undefined, type, [...at, member]),
  );
}

function openSchema(given: unknown): unknown {
  let schema = given;
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    schema = schema.unwrap();
  return schema;
}

function isPlain(schema: unknown, kind: string): boolean {
  if (kind === "string") return schema instanceof z.ZodString;
  if (kind === "boolean") return schema instanceof z.ZodBoolean;
  return schema instanceof z.ZodNumber;
}
