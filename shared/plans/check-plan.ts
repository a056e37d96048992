import type { ProblemError } from "../problem.ts";
import type { RunnerJobType } from "../runner-job-types.ts";
import { planSchemaFor } from "./plan-schema-for.ts";

/** What is wrong with a plan: it is no object, or members that are known have another type. */
export function checkPlan(type: RunnerJobType, plan: unknown, pointer = "#/plan"): ProblemError[] {
  if (typeof plan !== "object" || plan === null || Array.isArray(plan)) {
    return [{ pointer, code: "invalid_type", detail: "A plan is a JSON object." }];
  }
  const issues = planSchemaFor(type)?.safeParse(plan).error?.issues ?? [];
  return issues.map(({ path, code, message }) => ({
    pointer: [pointer, ...path.map(escape)].join("/"),
    code,
    detail: message,
  }));
}

function escape(part: PropertyKey): string {
  return String(part).replaceAll("~", "~0").replaceAll("/", "~1");
}
