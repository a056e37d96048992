import type { RunnerGroup } from "../../../shared/api/runner.ts";

/** How a group is called: one that was made along with its runner has no name. */
export function groupTitle({ name, id }: Pick<RunnerGroup, "name" | "id">): string {
  return name || `Group ${id.slice(-6)}`;
}
