import { componentBuilds } from "../../shared/api/builds.ts";
import { listRunnerGroupsRoute } from "../../shared/api/runner-groups.ts";
import type { Runner } from "../../shared/api/runner.ts";
import { listRunnersRoute } from "../../shared/api/runners.ts";
import type { Permission } from "../../shared/permissions.ts";
import type { Caller } from "../command.ts";
import { pageOfListing } from "../lists/listing-pages.ts";

/** As many as one page has. */
const most = 100;
const asked = ["runners.read", "apps.read"] as const satisfies readonly Permission[];

type Checked = { readonly call: Caller; readonly permissions: readonly string[] };

/**
 * In a sentence, whether builds of the org are made: by whom, or what is missing, who gives it, and how many wait for it. `hasRegistry`:
 * undefined where the broker is of a version that does not say.
 */
export async function checkBuilds(
  { call, permissions }: Checked,
  hasRegistry: boolean | undefined,
): Promise<string | undefined> {
  if (hasRegistry === undefined) return undefined;
  if (!hasRegistry)
    return "end as errors: the broker has no registry. Whoever runs it sets SVC_REGISTRY (docs/builds.md)";
  const missing = asked.filter((one) => !permissions.includes(one));
  if (missing.length > 0)
    return `not checked: this token lacks ${missing.join(" and ")}, which say who makes them`;
  const groups = await call(listRunnerGroupsRoute, { query: { type: "org", limit: String(most) } });
  const ids = groups.body.items.map(({ id }) => id).toReversed(); // builds take the oldest first
  if (ids.length === 0)
    return "end as errors: the org has no runner group of its own. Whoever may write runners creates one with a runner, and starts its agent: svc runner create --type org";
  const runners = (await runnersOf(call, ids)).filter(({ lifecycle }) => lifecycle === "enabled");
  if (runners.length === 0)
    return `end as errors: no runner of the group ${ids[0]} takes jobs. Whoever may write runners creates one, or enables it: svc runner create --group ${ids[0]}`;
  const builder = runners.find(takesBuilds);
  if (builder !== undefined) return `made by the runner ${builder.name} (${builder.id})`;
  const [first] = runners;
  return `wait: no connected agent of the org's runner ${first?.name} (${first?.id}) takes builds. Whoever runs that agent starts it, with the job group build. ${await countWaiting(call)}`;
}

async function runnersOf(call: Caller, groups: readonly string[]): Promise<readonly Runner[]> {
  const all = await Promise.all(
    groups.map((id) =>
      call(listRunnersRoute, { query: { runner_group_id: id, limit: String(most) } }),
    ),
  );
  return all.flatMap(({ body }) => body.items.toReversed());
}

const takesBuilds = ({ queues }: Runner): boolean =>
  queues.some(({ name, offered }) => name === "build" && offered > 0);

async function countWaiting(call: Caller): Promise<string> {
  const counts = await Promise.all(
    (["planning", "building"] as const).map(async (status) => {
      const query = { status, limit: String(most), cursor: "" };
      const page = pageOfListing(await call(componentBuilds.list, { query }));
      return { count: page.body.items.length, isMore: page.body.next_cursor !== null };
    }),
  );
  const count = counts.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return "No build waits for it now.";
  const many = `${counts.some(({ isMore }) => isMore) ? "At least " : ""}${count}`;
  return `${many} ${count === 1 ? "build waits" : "builds wait"} for it: svc build list --status building`;
}
