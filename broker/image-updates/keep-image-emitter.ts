import { secondNs } from "../../shared/duration.ts";
import { lookTask } from "../../shared/look-task.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Broker } from "../broker.ts";
import { listComponentParts } from "../builds/begin-builds.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import { findNow, insertEmitter } from "../emitters/queries.ts";
import { readSchedule } from "../emitters/read-schedule.ts";
import { sealTemplate } from "../emitters/sealed-template.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { followedImages } from "./followed-images.ts";
import { failLooks, findFollowingApp, type FollowingApp } from "./queries.ts";

type Parts = Pick<Broker, "db" | "seals" | "log" | "config">;
type Kept = {
  readonly outcome: string;
  readonly lane: string | null;
  readonly emitter: string | null;
};

const mostTries = 10;
const noLimit = 2_147_483_647;
const schedule = "*/15 * * * *";
/** Of each a place of its own between two ticks: a thousand apps are a look a second. */
const jitterNs = (15 * 60 - 1) * secondNs;

/**
 * Gives an app the emitter that looks for newer images of its components, by the config in force, or takes it away. Done again where
 * another config came in force meanwhile: of two that do this at once the later one is right.
 */
export async function keepImageEmitter(parts: Parts, org: OrgId, appId: string): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await findFollowingApp(parts.db, org, appId);
    if (found === undefined) return; // its emitter went with it
    const kept = await keep(parts.db, org, found);
    if (kept.outcome === "stale") continue;
    if (kept.outcome === "no-lane") return; // somebody's own queue has its name
    if (kept.lane === null || kept.emitter !== null || !kept.follows) return;
    await create(parts, org, { found, queueId: kept.lane });
    const after = await findFollowingApp(parts.db, org, appId);
    if (after?.config_id === found.config_id) return;
  }
  throw new Error(`the app ${appId} keeps changing`);
}

async function keep(
  db: Db,
  org: OrgId,
  { app, config_id: configId }: FollowingApp,
): Promise<Kept & { readonly follows: boolean }> {
  const document = configId === null ? undefined : await storedDocument(db, org, configId);
  const images = followedImages(document?.components);
  const parts =
    configId === null || images.length === 0 ? [] : await listComponentParts(db, org, configId);
  const ids = new Map(parts.map(({ name, part_id: id }) => [name, id]));
  const followed = images.flatMap(({ component: { name }, policy, checksum }) => {
    const id = ids.get(name);
    return id === undefined ? [] : [{ component_id: id, policy, checksum }];
  });
  const [row] = await db<Kept[]>`
    select * from keep_image_updates(${org}, ${app.id}, ${configId}, ${JSON.stringify(followed)}::text::jsonb)`;
  if (row === undefined) throw new Error("keep_image_updates answered nothing");
  return { ...row, follows: followed.length > 0 };
}

async function create(
  { db, seals, log, config }: Parts,
  org: OrgId,
  { found: { app }, queueId }: { readonly found: FollowingApp; readonly queueId: string },
): Promise<void> {
  const id = newId("emt");
  const given = { cron_schedule: schedule, jitter_window: jitterNs };
  const outcome = await insertEmitter(
    db,
    {
      ...readSchedule({ id, mode: "cron" }, given, await findNow(db)),
      id,
      org_id: org,
      queue_id: queueId,
      name: "image-updates",
      description: `Looks for newer images of the app ${app.name}, by the update_policy of its components`,
      mode: "cron",
      missed_policy: "once",
      missed_limit: 1,
      overlap_policy: "skip",
      signal_type: "image-update",
      runs: "hold",
      task: lookTask,
      owner_id: app.id,
      owner_type: "apps",
      dedupe_key: null,
      max_executions: 1,
      retry_delay: secondNs,
      signal_expires_in: null,
      created_by_id: "",
    },
    {
      template: sealTemplate(seals, { orgId: org, id }, JSON.stringify({ app_id: app.id })),
      most: config.limits.emitters_of_org || noLimit,
    },
  );
  const why = refusals[outcome ?? ""];
  if (why === undefined) return;
  log.warn({ org, app: app.id, outcome }, "newer images of this app are not looked for");
  await failLooks(db, org, app.id, why);
}

/** Why there is no emitter, as components say it. */
const refusals: Readonly<Record<string, string>> = {
  full: "the org has as many emitters as it may: delete one, then sync the app again",
  taken:
    "the lane of the app's builds has another emitter named image-updates: delete that, then sync the app again",
};
