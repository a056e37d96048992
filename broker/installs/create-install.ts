import type { NewInstall } from "../../shared/api/install.ts";
import { problem } from "../../shared/problem.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import { newId } from "../database/new-id.ts";
import { requireFreeName } from "../names/require-free-name.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { firstSettings } from "../runner-groups/settings.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import { outside, requireWithin } from "../tokens/bound/require-within.ts";
import { draftWorkflow } from "../workflows/draft-workflow.ts";
import { checkInputs } from "./check-inputs.ts";
import { type Cloud, cloudOf } from "./cloud-of.ts";
import { checkToggles } from "./configs/check-toggles.ts";
import { firstLabels } from "./first-labels.ts";
import { isSameInstall } from "./is-same-install.ts";
import { checkLabelTemplates, requireLabels } from "./label-templates.ts";
import { insertInstall } from "./queries.ts";

const mostOfOrg = 10_000;
/** How many workflows of an install are open side by side: changes one after the other. */
const laneSizes = { changes: 1, plans: 2, actions: 4 } as const;

type Parts = { readonly db: Db; readonly seals: Seals };
type Asker = Pick<Actor, "id" | "orgId" | "requestSeed">;
type Creation = { readonly appId: string; readonly install: NewInstall };
export type CreatedInstall = {
  readonly id: string;
  readonly workflowId: string | undefined;
  readonly isNew: boolean;
};

/**
 * Creates an install of an app's active config, with all that belongs to it, and has it provisioned unless told otherwise; or finds the
 * one of this name with the same content. 409 for a name that another one has.
 */
export async function createInstall(
  broker: Parts & Pick<Broker, "render">,
  { actor, withPermit, gone }: Asking & { readonly actor: Pick<Actor, "bound"> },
  wanted: Creation,
): Promise<CreatedInstall> {
  const { orgId } = actor;
  const { draft, order } = await withPermit(() => draftInstall(broker, actor, wanted));
  if (order === undefined) return await withPermit(() => keepInstall(broker, orgId, draft));
  const rendered = await broker.render({ orgId, name: "labels", ...order }, gone);
  const labels = { ...draft.labels, ...requireLabels(rendered) };
  return await withPermit(() => keepInstall(broker, orgId, { ...draft, labels }));
}

/** The install as it was asked for, and what is to be rendered of its labels. */
async function draftInstall(
  { db, seals }: Parts,
  actor: Asker & Pick<Actor, "bound">,
  { appId, install }: Creation,
) {
  await requireWithin(db, actor, "apps", appId);
  if (actor.bound !== null && install.runner_group_id !== undefined)
    throw outside("its installs get runner groups of their own");
  const app = await requireApp(db, actor.orgId, appId);
  const naming = { kind: "install", name: install.name, there: { app_id: appId } } as const;
  await requireFreeName(db, actor.orgId, naming);
  const config = await readDocument(db, actor.orgId, app.active_config_id);
  if (config === undefined) throw noActiveConfig();
  const cloud = cloudOf(config, install);
  const inputs = checkInputs(config, install.inputs);
  const { labels, label_templates: templates } = install;
  checkLabelTemplates(config, { templates, labels, locked: app.default_labels });
  checkToggles(
    config,
    install.install_config.component_toggles,
    "#/install_config/component_toggles",
  );
  checkToggles(config, install.component_toggles, "#/component_toggles");
  const draft = draftOf(seals, actor, {
    appId,
    configId: app.active_config_id,
    install,
    cloud,
    inputs,
  });
  const parts = { draft, templates, app: { id: app.id, name: app.name }, config, inputs };
  return {
    draft: { ...draft, values: inputs },
    order: await firstLabels(db, actor.orgId, parts),
  };
}

type Draft = Awaited<ReturnType<typeof draftInstall>>["draft"];

/** Makes it, or finds the one that was made of the same content. */
async function keepInstall(
  { db, seals }: Parts,
  org: OrgId,
  { values, ...draft }: Draft,
): Promise<CreatedInstall> {
  const made = await insertInstall(db, org, draft, mostOfOrg);
  const isOwn = made?.outcome === "same" && made.id === draft.id; // this request made it before, and nobody heard
  if (made?.outcome === "created" || isOwn)
    return { id: draft.id, workflowId: draft.workflow?.id, isNew: true };
  const id = made?.id ?? "";
  const content = { ...draft, values };
  if (made?.outcome === "same" && (await isSameInstall({ db, seals }, org, { id, content })))
    return { id, workflowId: undefined, isNew: false };
  throw refusalOf(made?.outcome ?? "lost", id);
}

type Drafting = {
  readonly appId: string;
  readonly configId: string | null;
  readonly install: NewInstall;
  readonly cloud: Cloud;
  readonly inputs: ReturnType<typeof checkInputs>;
};

function draftOf(
  seals: Seals,
  { orgId, id: actorId, requestSeed }: Asker,
  { appId, configId, install, cloud, inputs }: Drafting,
) {
  const id = keyedId("ins", requestSeed, appId, install.name);
  const lanes = Object.entries(laneSizes).map(([name, max_in_flight]) => ({
    id: newId("que"),
    name,
    max_in_flight,
  }));
  const approvalOption = install.install_config.approval_option ?? "prompt";
  const provision = {
    id: keyedId("wfl", requestSeed, id, "provision"),
    type: "provision",
    orgId,
    installId: id,
    lanes: new Map(lanes.map((lane) => [lane.name, lane.id])),
    approvalOption,
    actorId,
  } as const;
  return {
    id,
    app_id: appId,
    app_config_id: configId,
    name: install.name,
    cloud_platform: cloud.platform,
    cloud_account: cloud.account,
    expected_account: cloud.expected,
    labels: install.labels,
    label_templates: install.label_templates,
    metadata: install.metadata,
    approval_option: approvalOption,
    config: {
      ...install.install_config,
      id: newId("inc"),
      component_toggles: {
        ...install.install_config.component_toggles,
        ...install.component_toggles,
      },
      created_by_id: actorId,
    },
    sandbox_mode: install.sandbox_mode,
    given_group_id: install.runner_group_id,
    runner_group_id: newId("rgr"),
    runner_id: newId("run"),
    settings_id: newId("rgs"),
    operation_id: newId("rop"),
    groups: firstSettings("install").groups,
    platform: "unknown",
    inputs: sealInputs(seals, orgId, inputs),
    lanes,
    created_by_id: actorId,
    ...(install.start && { workflow: draftWorkflow(seals, provision) }),
  };
}

/** The values of inputs as another version of them, sealed. */
export function sealInputs(
  seals: Pick<Seals, "seal">,
  orgId: OrgId,
  values: Readonly<Record<string, unknown>>,
): { readonly id: string; readonly key_id: string | null; readonly base64: string } {
  const id = newId("inp");
  const text = Buffer.from(JSON.stringify(values));
  const { keyId, bytes } = seals.seal({ orgId, id, part: "install-inputs" }, text);
  return { id, key_id: keyId, base64: bytes.toString("base64") };
}

const noActiveConfig = (): Error =>
  problem.conflict(
    "no_active_config",
    "The app has no active config. Sync one first: svc app sync DIR.",
  );

function refusalOf(outcome: string, id: string): Error {
  switch (outcome) {
    case "no-config":
      return problem.conflict(
        "config_changed",
        "The app's config changed in the meantime. Try again.",
      );
    case "same":
      return problem.conflict(
        "name_taken",
        "This app already has an install of this name, with different content.",
        { install_id: id },
      );
    case "full":
      return problem.conflict(
        "too_many_installs",
        `This org has ${mostOfOrg} installs, which is the limit. Forget some that are no longer needed.`,
      );
    case "no-group":
      return problem.notFound("runner group");
    case "taken":
      return problem.conflict(
        "runner_group_taken",
        "The runner group already belongs to another install. Name another runner, or none: the install then gets one of its own.",
      );
    case "group-type":
      return problem.conflict(
        "runner_group_type",
        "The runner group is not of type install: its runner is the org's own and serves no install.",
      );
    case "no-runner":
      return problem.conflict(
        "runner_group_size",
        "The runner group must have exactly one runner.",
      );
    default:
      return new Error(`create_install answered ${outcome}`);
  }
}
