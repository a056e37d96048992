import type { BuildRow } from "../workflows/machine/workflow-rows.ts";
import type { BuildFacts } from "./build-facts.ts";
import type { BuildPlanning } from "./build-plan.ts";

/** What of a config a build builds; undefined where the config has it no more. */
export function partOf(
  { sandbox, components }: BuildFacts["config"],
  { component_id: id, component_name: wanted }: BuildRow,
): BuildPlanning["part"] | undefined {
  if (id === null) return sandbox && { sandbox };
  const component = components?.find(({ name }) => name === wanted);
  return component && { component };
}
