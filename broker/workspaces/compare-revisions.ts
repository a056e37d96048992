import type { StateDiff } from "../../shared/api/terraform-revisions.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { diffStates } from "./diff-states.ts";
import { readSummary } from "./read-summary.ts";
import { requireState, toState } from "./show-workspace.ts";

type Asked = {
  readonly workspaceId: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/** Two revisions side by side: the current one and the one before, unless told. */
export async function compareRevisions(
  broker: Pick<Broker, "db" | "seals">,
  org: OrgId,
  { workspaceId, from, to }: Asked,
): Promise<StateDiff> {
  const { db } = broker;
  const newer = await requireState(db, org, { workspaceId, named: String(to ?? "current") });
  const before = String(from ?? newer.state.revision - 1);
  const older = await requireState(db, org, { workspaceId, named: before });
  const [was, is] = [
    await readSummary(broker, older.state),
    await readSummary(broker, newer.state),
  ];
  return {
    from: toState(older.workspace, older.state),
    to: toState(newer.workspace, newer.state),
    ...diffStates(was, is),
  };
}
