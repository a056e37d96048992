import { secondNs } from "../../shared/duration.ts";
import { workflowTask } from "../../shared/workflow-task.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import { fittingJitter } from "../emitters/fitting-jitter.ts";
import { deleteEmitterRow, findNow, insertEmitter } from "../emitters/queries.ts";
import { readSchedule } from "../emitters/read-schedule.ts";
import { sealTemplate } from "../emitters/sealed-template.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type KeptEmitter, listInstallEmitters, restEmitter } from "./emitter-queries.ts";
import { busyPhases } from "./install-row.ts";
import { findInstall } from "./install-rows.ts";
import type { ShownRow } from "./to-install.ts";
import { emittingLanes, type WantedEmitter, wantedEmitters } from "./wanted-emitters.ts";

type Parts = Pick<Broker, "db" | "seals" | "log" | "config">;

const mostTries = 10;
const noLimit = 2_147_483_647;

/**
 * Gives an install one emitter for each cron trigger and each look for drift of the config that it has, and takes away the others; they
 * rest while the install is in no phase for them. Done again where the install changed meanwhile: of two that do this at once the later one is right.
 */
export async function keepEmitters(parts: Parts, org: OrgId, installId: string): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const install = await findInstall(parts.db, org, installId);
    if (install === undefined) return; // its emitters went with it
    await keepAsOf(parts, org, install);
    const after = await findInstall(parts.db, org, installId);
    if (after?.version === install.version) return;
  }
  throw new Error(`the install ${installId} keeps changing`);
}

async function keepAsOf(parts: Parts, org: OrgId, install: ShownRow): Promise<void> {
  const config = await readDocument(parts.db, org, install.applied_config_id);
  const all = config === undefined ? [] : wantedEmitters(config);
  for (const [name, types] of Object.entries(emittingLanes)) {
    const lane = install.queues.find((one) => one.name === name);
    if (lane === undefined) continue; // someone deleted it
    const wanted = all.filter(({ type }) => types.some((one) => one === type));
    await keepLane(parts, { org, install, queueId: lane.id }, { types, wanted });
  }
}

type Kept = { readonly types: readonly string[]; readonly wanted: readonly WantedEmitter[] };

async function keepLane(parts: Parts, place: Place, { types, wanted: all }: Kept): Promise<void> {
  const { org, queueId } = place;
  const wanted = new Map(all.map((one) => [one.name, one]));
  const kept: KeptEmitter[] = [];
  for (const emitter of await listInstallEmitters(parts.db, org, { queueId, types })) {
    if (wanted.delete(emitter.name)) kept.push(emitter);
    else await deleteEmitterRow(parts.db, org, emitter.id);
  }
  for (const one of wanted.values()) {
    const created = await create(parts, place, one);
    if (created === "full") break;
    kept.push(...created);
  }
  for (const emitter of kept) await rest(parts, place, emitter);
}

type Place = { readonly org: OrgId; readonly install: ShownRow; readonly queueId: string };

async function create(
  { db, seals, log, config }: Parts,
  { org, install, queueId }: Place,
  { name, description, type, schedule, jitterNs, value: said }: WantedEmitter,
): Promise<KeptEmitter[] | "full"> {
  const id = newId("emt");
  const now = await findNow(db);
  const jitter_window = fittingJitter(schedule, jitterNs, now);
  const given = { cron_schedule: schedule, jitter_window };
  const value = JSON.stringify({ install_id: install.id, ...said });
  const outcome = await insertEmitter(
    db,
    {
      ...readSchedule({ id, mode: "cron" }, given, now),
      id,
      org_id: org,
      queue_id: queueId,
      name,
      description: `${description} of the install ${install.name}`,
      mode: "cron",
      missed_policy: "once",
      missed_limit: 1,
      overlap_policy: "skip",
      signal_type: type,
      runs: "hold",
      task: workflowTask,
      owner_id: install.id,
      owner_type: "installs",
      dedupe_key: null,
      max_executions: 1,
      retry_delay: secondNs,
      signal_expires_in: null,
      created_by_id: install.created_by_id,
    },
    {
      template: sealTemplate(seals, { orgId: org, id }, value),
      most: config.limits.emitters_of_org || noLimit,
    },
  );
  if (outcome === "created") return [{ id, name, status: "active", paused_by_id: null }];
  if (outcome !== "full") return []; // its lane is gone, or somebody's own emitter has the name
  log.warn(
    { org, install: install.id, emitter: name },
    "the org has reached its limit of emitters: this one of an install and those after it are not made",
  );
  return "full";
}

/** Pauses it, or ends the pause that this began; what people pause stays paused. */
async function rest({ db }: Parts, { org, install }: Place, emitter: KeptEmitter): Promise<void> {
  const { lifecycle_phase: phase } = install;
  const isBusy = busyPhases.includes(phase);
  const isResting = emitter.status === "paused" && emitter.paused_by_id === install.id;
  if (isBusy ? !isResting : emitter.status !== "active") return;
  await restEmitter(db, org, {
    id: emitter.id,
    event: isBusy ? "resume" : "pause",
    note: `the install is ${phase}`,
    installId: install.id,
  });
}
