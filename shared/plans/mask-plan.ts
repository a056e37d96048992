import { z } from "zod";
import { hiddenValue } from "../hidden-value.ts";
import type { RunnerJobType } from "../runner-job-types.ts";
import { planSchemaFor } from "./plan-schema-for.ts";

/**
 * What may be shown of a plan to somebody who may not see its secrets: its shape, every name in it, and the values of
 * those members that its kind's schema knows and does not mark as secret. What no schema knows may be one.
 */
export function maskPlan(type: RunnerJobType, plan: unknown): unknown {
  return shown(planSchemaFor(type), plan);
}

/**
 * The same of a plan that was rendered and has no masked twin: nothing of its steps is shown but how many there are and what they
 * have, as any text of them may be made of a sensitive value.
 */
export function maskRendered(type: RunnerJobType, plan: unknown): unknown {
  const masked = maskPlan(type, plan);
  if (typeof masked !== "object" || masked === null || !("steps" in masked)) return masked;
  return { ...masked, steps: shown(undefined, masked.steps) };
}

function shown(given: unknown, value: unknown): unknown {
  const schema = openSchema(given);
  if (Array.isArray(value)) {
    const element = schema instanceof z.ZodArray ? schema.element : undefined;
    return value.map((inner) => shown(element, inner));
  }
  if (typeof value === "object" && value !== null) {
    const shape = shapeOf(schema);
    const shownMember = ([name, inner]: [string, unknown]) => [
      name,
      shown(Object.hasOwn(shape, name) ? shape[name] : undefined, inner),
    ];
    return Object.fromEntries(Object.entries(value).map(shownMember));
  }
  if (value === null || typeof value === "boolean") return value;
  return isScalar(schema) ? withoutCredentials(value) : hiddenValue;
}

/** What describes a member that is no secret, without what says that it may be absent. */
function openSchema(given: unknown): unknown {
  let schema = given;
  while (schema instanceof z.ZodType) {
    if (schema.meta()?.["secret"] === true) return undefined;
    if (!(schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)) return schema;
    schema = schema.unwrap();
  }
  return undefined;
}

/** The members of an object, which may be one of several forms. */
function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  if (schema instanceof z.ZodObject) return schema.shape;
  const forms = schema instanceof z.ZodUnion ? schema.options : [];
  return forms.find((form): form is z.ZodObject => form instanceof z.ZodObject)?.shape ?? {};
}

function isScalar(schema: unknown): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.some(isScalar);
  return schema instanceof z.ZodString || schema instanceof z.ZodNumber;
}

/** An address may carry a password before its host, and tokens in its query. */
function withoutCredentials(value: unknown): unknown {
  if (typeof value !== "string" || !value.includes("://")) return value;
  return value
    .replaceAll(/:\/\/[^/\s]*@/g, `://${hiddenValue}@`)
    .replaceAll(/\?[^\s]*/g, `?${hiddenValue}`);
}
