import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listStatesById } from "./queries.ts";
import { openStored, type Readable } from "./read-parts.ts";
import type { WorkspaceStateRow } from "./row.ts";
import { requireWorkspace } from "./show-workspace.ts";

/** The workspace's current state, ready to be read; undefined when it has none. */
export async function openCurrentState(
  broker: Pick<Broker, "db" | "seals">,
  org: OrgId,
  workspaceId: string,
): Promise<(Readable & { readonly type: string; readonly revision: number }) | undefined> {
  const { state_id: stateId } = await requireWorkspace(broker.db, org, workspaceId);
  const [state] = stateId === null ? [] : await listStatesById(broker.db, org, [stateId]);
  return (
    state && {
      ...openStored(broker, state),
      type: typeOfState(state),
      revision: state.revision,
    }
  );
}

/** The content type of a state: only one with a serial is known to be JSON. */
export function typeOfState({ serial }: Pick<WorkspaceStateRow, "serial">): string {
  return serial === null ? "application/octet-stream" : "application/json";
}
