import { isEndedBuild } from "../../shared/build-statuses.ts";
import { Problem } from "../../shared/problem.ts";
import { findBuildFacts } from "../builds/build-facts.ts";
import { buildSyncedConfig } from "../builds/build-synced-config.ts";
import { JobOutputs } from "../builds/job-outputs.ts";
import { listLateDeletions } from "../builds/late-deletions.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/connect.ts";
import { type DeployFacts, findDeployFacts } from "../deploys/deploy-facts.ts";
import { findInstallFacts, type InstallFacts, openJson } from "../installs/install-facts.ts";
import type { ReadingParts } from "../installs/stored-values.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { isGivenUp } from "./count-fault.ts";
import type { DecisionNeeds, NeedsToBegin, WorkflowGiven } from "./kinds/kind-environment.ts";
import type { EventThings } from "./machine/event-entities.ts";
import type { Machine } from "./machine/step-kind.ts";
import { type NewId, type RefusedChildren, WorkflowDraft } from "./machine/workflow-draft.ts";
import type { Workflow } from "./machine/workflow-rows.ts";
import type { WorkflowSnapshot } from "./machine/workflow-snapshot.ts";
import { appMachine } from "./types/app-machine.ts";
import { installMachine } from "./types/install-machine.ts";
import { workflowType } from "./types/workflow-types.ts";

export type WorkflowParts = ReadingParts & {
  readonly config: Pick<Config, "publicUrl" | "registry">;
};
/** A workflow to decide about, and what moves it. */
export type LoadedWorkflow = { readonly draft: WorkflowDraft; readonly machine: Machine };

type WorkflowSource = {
  readonly id: string;
  /** Why the database did not take a first decision. */
  readonly refusal?: Machine["refusal"];
  readonly refusedChildren?: RefusedChildren;
  readonly needs: NeedsToBegin;
  /** Gives the same ids, in order, to each draft of one move: what is rendered has them in it. */
  readonly newIds: () => NewId;
};

/** Reads a workflow as it is; each call of what it answers begins to decide about that anew. Undefined where there is none, or its install is gone. */
export async function loadWorkflow(
  parts: WorkflowParts,
  org: OrgId,
  { id, refusal, refusedChildren = {}, needs, newIds }: WorkflowSource,
): Promise<(() => LoadedWorkflow) | undefined> {
  const read = await readWithOwner(parts, org, { id, needs });
  // What the config has for the first time got its rows by that look, or by another's: now they are there.
  const known =
    read?.owner.isAhead === true ? await readWithOwner(parts, org, { id, needs }) : read;
  if (known === undefined) return undefined;
  const { snapshot, owner } = known;
  const { things, machineOf } = owner;
  return () => ({
    draft: new WorkflowDraft(snapshot, { newId: newIds(), things, refusedChildren }),
    machine: machineOf(refusal),
  });
}

async function readWithOwner(
  parts: WorkflowParts,
  org: OrgId,
  { id, needs }: Pick<WorkflowSource, "id" | "needs">,
): Promise<{ readonly snapshot: WorkflowSnapshot; readonly owner: KnownOwner } | undefined> {
  const { db } = parts;
  const snapshot = await readSnapshot(db, org, id);
  if (snapshot === undefined) return undefined;
  const { workflow } = snapshot;
  const seals = isGivenUp(workflow) ? opensNothing(parts.seals) : parts.seals;
  const open = owners[workflow.owner_type];
  if (open === undefined) throw new Error(`no workflows of ${workflow.owner_type} are known`);
  const outputsOf = new JobOutputs({ db, seals }, org).read;
  const owner = await open({ ...parts, seals }, org, { snapshot, needs: { ...needs, outputsOf } });
  return owner && { snapshot, owner };
}

type OwnerOpened = {
  readonly snapshot: WorkflowSnapshot;
  readonly needs: DecisionNeeds;
};
/** What is known of a workflow's owner: what its events are about, and what moves it. */
type KnownOwner = {
  readonly things: EventThings;
  /** It has rows that the workflow was read without. */
  readonly isAhead?: boolean;
  readonly machineOf: (refusal: Machine["refusal"]) => Machine;
};
type OpenOwner = (
  parts: WorkflowParts,
  org: OrgId,
  opened: OwnerOpened,
) => Promise<KnownOwner | undefined>;

/** Whose workflows there are. */
const owners: { readonly [Type in Workflow["owner_type"]]?: OpenOwner } = {
  installs: openInstall,
  apps: openApp,
};

async function openInstall(
  parts: WorkflowParts,
  org: OrgId,
  { snapshot: { workflow, targets }, needs }: OwnerOpened,
): Promise<KnownOwner | undefined> {
  const choose = configOf(workflow);
  const [facts, given] = await Promise.all([
    findInstallFacts(parts, org, { id: workflow.owner_id, choose }),
    readGiven(parts, org, workflow.id),
  ]);
  if (facts === undefined) return undefined;
  const { seals, config } = parts;
  const deploys = await deploysOf(parts, org, { workflow, facts });
  const env = { facts, deploys, given, seals, publicUrl: config.publicUrl, ...needs };
  const read = new Set(targets.map(({ id }) => id));
  const deployed = deploys === undefined ? [] : [...deploys.components, deploys.sandbox];
  return {
    things: thingsOf(facts, deploys),
    isAhead: deployed.some((part) => part !== undefined && !read.has(part.targetId)),
    machineOf: (refusal) => installMachine(env, refusal),
  };
}

/** What the install has deployed, where its workflow deploys. */
async function deploysOf(
  { db, config }: WorkflowParts,
  org: OrgId,
  { workflow, facts }: { readonly workflow: Workflow; readonly facts: InstallFacts },
): Promise<DeployFacts | undefined> {
  if (workflowType(workflow.type).deploys !== true) return undefined;
  const { configId } = facts;
  const chosen = workflow.params["build_id"];
  const of = {
    installId: facts.install.id,
    configId,
    config: facts.config,
    chosenBuild: typeof chosen === "string" ? chosen : undefined,
    registry: config.registry,
  };
  const found = await findDeployFacts(db, org, of);
  const isUnbuilt = [...found.components, found.sandbox].some(
    (part) => part?.wanted !== undefined && part.newest === undefined,
  );
  if (!isUnbuilt || workflow.status !== "pending") return found;
  // It may have come right after the sync, before the builds of that: it waits for them only where they are there.
  await buildSyncedConfig(db, org, { app: facts.app.id, configId }).catch(unlessRefused);
  return await findDeployFacts(db, org, of);
}

/** The app's lane takes no more: the task of the sync tries again. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}

async function openApp(
  { db, seals, config: { registry } }: WorkflowParts,
  org: OrgId,
  { snapshot: { workflow, builds, superseded_builds: superseded }, needs }: OwnerOpened,
): Promise<KnownOwner | undefined> {
  const configId = workflow.app_config_id ?? String(workflow.params["app_config_id"]);
  const components = [...new Set(builds.flatMap(({ component_id: id }) => id ?? []))];
  const hasSandbox = builds.some(({ component_id: id }) => id === null);
  const of = { app: workflow.owner_id, configId, components, hasSandbox };
  const [facts, deletions] = await Promise.all([
    findBuildFacts(db, org, of),
    listLateDeletions(db, org, { app: of.app, builds }),
  ]);
  if (facts === undefined) return undefined;
  const open = builds.filter(({ status }) => !isEndedBuild(status));
  const isLeft = open.length > 0 && open.every(({ id }) => superseded[id] !== undefined);
  const env = { facts, deletions, seals, registry, superseded, isLeft, ...needs };
  const things = { actions: new Map(), components: facts.components };
  return { things, machineOf: (refusal) => appMachine(env, refusal) };
}

/** What cannot be opened keeps no workflow from its end: nothing of it begins any more, and nobody reads what was sealed. */
const opensNothing = (seals: Seals): Seals => ({ ...seals, open: () => Buffer.from("{}") });

/** All that is stored of a workflow. */
export async function readSnapshot(
  db: Db,
  org: OrgId,
  id: string,
): Promise<WorkflowSnapshot | undefined> {
  const [row] = await db<{ snapshot: WorkflowSnapshot | null }[]>`
    select read_workflow(${org}, ${id}) as snapshot`;
  return row?.snapshot ?? undefined;
}

/** The ids of the workflows that have this place in a lane: the one whose it is, and then what it began there and is open. */
export async function findWorkflowsOfSignal(
  db: Db,
  org: OrgId,
  signalId: string,
): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select w.id from workflows w
     where w.org_id = ${org} and w.signal_id = ${signalId} and (not w.shares_place or w.finished_at is null)
     order by w.shares_place, w.id`;
  return rows.map(({ id }) => id);
}

/** Once its steps are made it keeps the config of which they are. */
function configOf(workflow: Workflow) {
  return ({ install, app }: Pick<InstallFacts, "install" | "app">): string | null => {
    if (workflow.app_config_id !== null) return workflow.app_config_id;
    const { config } = workflowType(workflow.type);
    const named = workflow.params["app_config_id"];
    if (config === "named" && typeof named === "string") return named;
    return config === "active"
      ? app.active_config_id
      : (install.applied_config_id ?? app.active_config_id);
  };
}

async function readGiven(
  { db, seals }: Pick<WorkflowParts, "db" | "seals">,
  org: OrgId,
  id: string,
): Promise<WorkflowGiven> {
  const [row] = await db<{ key_id: string | null; contents: Buffer }[]>`
    select g.key_id, g.contents from workflow_givens g where g.org_id = ${org} and g.workflow_id = ${id}`;
  if (row === undefined) return { env: {} };
  const thing = { orgId: org, id, part: "workflow-given" };
  const sealed = { keyId: row.key_id, bytes: row.contents };
  return openJson(seals, thing, sealed) as WorkflowGiven; // sealed as such
}

/** What an approval is about, byte for byte. */
export async function readApprovalText(
  { db, seals }: Pick<WorkflowParts, "db" | "seals">,
  org: OrgId,
  id: string,
): Promise<string | undefined> {
  const [row] = await db<{ key_id: string | null; contents: Buffer }[]>`
    select a.key_id, a.contents from workflow_approvals a where a.org_id = ${org} and a.id = ${id}`;
  if (row === undefined) return undefined;
  const sealed = { keyId: row.key_id, bytes: row.contents };
  return seals.open({ orgId: org, id, part: "approval" }, sealed).toString("utf8");
}

const thingsOf = (
  { install, actions }: InstallFacts,
  deploys: DeployFacts | undefined,
): EventThings => ({
  install,
  actions: new Map(actions.map(({ action_id: id, labels }) => [id, labels])),
  components: new Map(
    (deploys?.components ?? []).map(({ componentId, labels }) => [componentId ?? "", labels]),
  ),
});
