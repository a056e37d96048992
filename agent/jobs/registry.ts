import { actions } from "../handlers/actions/actions.ts";
import { noop } from "../handlers/noop.ts";
import type { Handler, JobFacts, JobWork, Plan } from "./handler.ts";
import { JobFailure } from "./job-failure.ts";

/** Every handler there is; a new kind of job is a line here. */
const handlers: readonly Handler[] = [noop, actions];

const byType = new Map<string, Handler>(
  handlers.flatMap((handler) => handler.types.map((type) => [type, handler] as const)),
);

/** The work of a job. Throws JobFailure when the plan is not fit, or nobody here does this kind. */
export function workOf(facts: JobFacts, plan: Plan): JobWork {
  const handler = byType.get(facts.type);
  if (handler !== undefined) return handler.validate(plan, facts);
  throw new JobFailure(`This agent does not know how to do a job of type ${facts.type}.`, {
    reason: "unknown_type",
    metadata: { type: facts.type },
  });
}

/** What jobs of a type need to come to rest after they were stopped. */
export function restMsOf(type: string): number {
  return byType.get(type)?.restMs ?? usualRestMs;
}

const usualRestMs = 12_000;
