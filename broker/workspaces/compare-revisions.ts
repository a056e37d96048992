import type { StateDiff } from "../../shared/api/terraform-revisions.ts";
import { Problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findRevisionBefore } from "./queries.ts";
import { readSummary } from "./read-summary.ts";
import { requireState, toState } from "./show-workspace.ts";

type Comparison = {
  readonly workspaceId: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};
type Asking = Comparison & { readonly withPermit: WithPermit; readonly gone: AbortSignal };

/** The differences of two revisions as JSON; by default the current one and the kept one before it. */
export async function compareRevisions(
  broker: Pick<Broker, "db" | "seals" | "states">,
  org: OrgId,
  { withPermit, gone, workspaceId, from, to }: Asking,
): Promise<Uint8Array<ArrayBuffer>> {
  const { db } = broker;
  const { newer, older } = await withPermit(() => findBoth(db, org, { workspaceId, from, to }));
  const changes = await readSummary(broker, {
    wanted: "changes",
    states: [older.state, newer.state],
    gone,
  });
  const sides: Pick<StateDiff, "from" | "to"> = {
    from: toState(older.workspace, older.state),
    to: toState(newer.workspace, newer.state),
  };
  const start = Buffer.from(`${JSON.stringify(sides).slice(0, -1)},`);
  return new Uint8Array(Buffer.concat([start, changes.subarray(1)])); // one object of the two
}

async function findBoth(db: Broker["db"], org: OrgId, { workspaceId, from, to }: Comparison) {
  const newer = await requireState(db, org, { workspaceId, named: String(to ?? "current") });
  const before = from ?? (await findRevisionBefore(db, org, newer.state));
  if (before === undefined) throw nothingBefore(newer.state.revision);
  const older = await requireState(db, org, { workspaceId, named: String(before) });
  return { newer, older };
}

const nothingBefore = (revision: number): Problem =>
  new Problem({
    status: 404,
    code: "state_not_found",
    detail: `Revision ${revision} has no earlier revision to compare with.`,
  });
