import type { RunnerUpdate } from "../../shared/api/runner-updates.ts";
import { isVersion } from "../../shared/compare-versions.ts";
import { problem } from "../../shared/problem.ts";
import type { EnqueueingBroker } from "../jobs/enqueue-jobs.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { orderManagement } from "./order-management.ts";
import { findRunner } from "./queries.ts";
import { imageOf, plainVersion } from "./runner-versions.ts";
import { toRunnerUpdate } from "./to-runner-update.ts";
import { isManaged, listUpdates, listWantedVersions, updateType } from "./update-queries.ts";

type Wish = {
  readonly version: string;
  readonly image: string;
  readonly deadlineNs: number | undefined;
  readonly reason: string;
};
type Target = Pick<Wish, "version" | "image">;

/**
 * Orders the management process of a runner to switch the agent to another version. 409 when nobody would obey. Two orders in the same instant
 * may both be taken: the host carries them out one after the other.
 */
export async function orderUpdate(
  broker: EnqueueingBroker,
  actor: Pick<Actor, "id" | "orgId">,
  runnerId: string,
  wish: Wish,
): Promise<RunnerUpdate> {
  const { orgId } = actor;
  const runner = await findRunner(broker.db, orgId, runnerId);
  if (runner === undefined) throw problem.notFound("runner");
  const target = await targetOf(broker, orgId, runnerId, wish);
  if (!(await isManaged(broker.db, orgId, runnerId))) {
    const detail =
      "No live process of this runner manages its host. Start svc-agent mng there, or update the agent by what installed it.";
    throw problem.conflict("no_management_process", detail);
  }
  const [latest] = await listUpdates(broker.db, orgId, runnerId, 1);
  if (latest !== undefined && latest.finished_at === null) {
    const detail = `The update by job ${latest.id} is under way. Wait for its end, or cancel that job.`;
    throw problem.conflict("update_open", detail);
  }
  const { job } = await orderManagement(broker, actor, {
    runnerId,
    type: updateType,
    key: undefined,
    metadata: { ...given(target), ...given({ reason: wish.reason }) },
    deadlineNs: wish.deadlineNs,
  });
  return toRunnerUpdate(job);
}

/** What is asked for, or else what the settings ask for. A host follows its settings, so nothing else is ordered. */
async function targetOf(
  { db }: EnqueueingBroker,
  org: OrgId,
  runnerId: string,
  { version, image }: Wish,
): Promise<Target> {
  const [settings] = await listWantedVersions(db, org, [runnerId]);
  const wanted = {
    version: plainVersion(settings?.binary_version ?? ""),
    image: settings === undefined ? "" : imageOf(settings),
  };
  const asked = { version: plainVersion(version), image };
  if (asked.version !== "" && !isVersion(asked.version)) {
    const detail = "Send a version like 1.3.0.";
    throw problem.invalid([{ pointer: "#/version", code: "invalid_format", detail }]);
  }
  if (asked.image !== "" && !/[^:@]+[:@][^/]+$/.test(asked.image)) {
    const detail = "Send an image with its tag or digest.";
    throw problem.invalid([{ pointer: "#/image", code: "invalid_format", detail }]);
  }
  for (const what of ["version", "image"] as const) {
    if (asked[what] === "" || wanted[what] === "" || asked[what] === wanted[what]) continue;
    const detail = `The settings of this runner's group ask for ${wanted[what]}, and its hosts follow them. Change the settings to run ${asked[what]}.`;
    throw problem.conflict("settings_ask_otherwise", detail);
  }
  const target = asked.version === "" && asked.image === "" ? wanted : asked;
  if (target.version !== "" || target.image !== "") return target;
  const detail = "Send a version or an image: the settings of this runner ask for none.";
  throw problem.invalid([{ pointer: "#/version", code: "required", detail }]);
}

const given = (members: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(members).filter(([, text]) => text !== ""));
