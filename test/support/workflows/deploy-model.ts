import { hash } from "node:crypto";
import type { PartFacts } from "../../../broker/deploys/deploy-facts.ts";
import { openSeals } from "../../../broker/seals/seals.ts";
import { applyStep } from "../../../broker/workflows/kinds/apply-step.ts";
import { imageStep } from "../../../broker/workflows/kinds/image-step.ts";
import type { KindEnvironment } from "../../../broker/workflows/kinds/kind-environment.ts";
import { planStep } from "../../../broker/workflows/kinds/plan-step.ts";
import type { DeployRow, TargetRow } from "../../../broker/workflows/machine/deploy-rows.ts";
import type { PlannedGroup, StepKind } from "../../../broker/workflows/machine/step-kind.ts";
import type { NewId } from "../../../broker/workflows/machine/workflow-draft.ts";
import type { Step } from "../../../broker/workflows/machine/workflow-rows.ts";
import {
  deployGroups,
  sandboxGroups,
  teardownGroups,
} from "../../../broker/workflows/types/deploy-groups.ts";
import type { Making } from "../../../broker/workflows/types/making.ts";
import type { RunnerJobStatus } from "../../../shared/runner-job.ts";
import { baseOf, storedOf } from "../installs/state-facts.ts";
import type { DeployWish } from "./deploy-wishes.ts";
import type { ModelKinds } from "./model-groups.ts";

const at = new Date(0).toISOString();
const seals = await openSeals({
  read: async () => await Promise.resolve([{ id: "test-1", key: Buffer.alloc(32, 7) }]),
});
const digest = `sha256:${"a".repeat(64)}`;

/** What a model saw of jobs: which plan was carried out, and whether somebody had approved it. */
export type DeployModel = ModelKinds & {
  readonly applied: { readonly plan: string; readonly job: string; readonly approved: boolean }[];
  readonly wrong: string[];
  readonly deploys: () => readonly DeployRow[];
  readonly targets: () => readonly TargetRow[];
};

/** Two components and a sandbox of one install, deployed or torn down by the real kinds of steps. */
export function deployModel(isTeardown: boolean): DeployModel {
  let deploys: readonly DeployRow[] = [];
  let targets: readonly TargetRow[] = ["", "one", "two"].map((name) => targetOf(name, isTeardown));
  const applied: DeployModel["applied"] = [];
  const wrong: string[] = [];
  const carried = new Set<string>();
  let [isNoOp, isBuilding] = [false, false];

  const partOf = ({ id, name, component_id: componentId, deployed_id }: TargetRow): PartFacts => {
    const part =
      componentId === null
        ? { sandbox: { type: "terraform" } as never }
        : { component: { name, type: "terraform_module", max_auto_retries: 1 } as never };
    const configured = { configId: "cfg_1", part, checksum: name };
    const artifact = { repository: "r.example/a", tag: "t", digest };
    const before = deployed_id === null ? undefined : standing(deployed_id, artifact);
    return {
      targetId: id,
      componentId,
      name,
      labels: {},
      wanted: configured,
      newest: {
        id: "bld_1",
        status: isBuilding ? "building" : "active",
        app_config_id: "cfg_1",
        artifact,
      },
      deployed: before,
      deployedPart: before && configured,
      chosen: undefined,
      status: "active",
      hasDrift: false,
    };
  };
  const facts = { ...baseOf([]), configId: "cfg_1", values: storedOf({}).values, actions: [] };
  const envOf = (): KindEnvironment => {
    const [sandbox, ...components] = targets.map(partOf);
    const planned = (id: string) => ({
      isNoOp,
      hasDrift: false,
      counts: { added: isNoOp ? 0 : 1, changed: 0, replaced: 0, removed: 0 },
      digest: hash("sha256", id),
      obstacle: undefined,
      view: "{}",
    });
    const texts = { type: "terraform-deploy", text: "{}", shown: "{}", names: [], timeoutNs: 0 };
    return {
      facts: facts as never,
      deploys: {
        sandbox,
        components,
        toggles: {},
        configs: new Map(),
        registry: undefined,
        pullLogin: undefined,
        readsPlans: null,
      },
      given: { env: {} },
      seals,
      publicUrl: undefined,
      rendered: (() => ({ ...texts, valuesDigest: "00" })) as never,
      approvedPlan: () => undefined,
      outputsOf: () => ({}),
      planned: ({ id }) => planned(id),
      applyPlan: () => texts as never,
      readsOf: () => ({ order: ["one", "two"], needs: { two: ["one"] }, inputs: {} }),
    };
  };

  return {
    applied,
    wrong,
    deploys: () => deploys,
    targets: () => targets,
    more: () => ({ deploys, targets }),
    generate: (newId) => groupsOf(envOf(), newId, isTeardown),
    kindOf: (step) => kindOf(envOf(), step),
    wish(wish: DeployWish) {
      if (wish === "no-op") isNoOp = !isNoOp;
      else if (wish === "build-ended") isBuilding = !isBuilding;
      else if (wish === "busy") targets = targets.map((one) => ({ ...one, is_busy: !one.is_busy }));
      else targets = targets.map((one) => ({ ...one, revision: one.revision + 1 }));
    },
    keep(draft, jobs) {
      for (const { id, metadata, operation } of draft.newJobs as never as Drafted[]) {
        const step = draft.steps.find((one) => one.id === metadata["workflow_step_id"]);
        const deploy = draft.deploys.find((one) => one.id === step?.target_id);
        const target = draft.targets.find((one) => one.id === deploy?.target_id);
        if (target?.is_busy === true) wrong.push(`${id} works beside another workflow`);
        if (openJobs(deploy, jobs, id)) wrong.push(`${id} works beside another of its deploy`);
        if (operation !== "apply-plan") continue;
        const plan = deploy?.plan_job_id ?? "";
        if (carried.has(plan)) wrong.push(`${plan} is carried out twice`);
        carried.add(plan);
        if (deploy?.revision !== target?.revision) wrong.push(`${plan} is of another state`);
        const asked = draft.steps.find(
          (one) => one.target_id === deploy?.id && one.id !== step?.id,
        );
        const answer = draft.approvals.find(({ step_id: of }) => of === asked?.id);
        const isRight = answer?.plan_digest === hash("sha256", plan);
        const isGiven = ["approve", "auto-approve"].includes(answer?.response_type ?? "");
        applied.push({ plan, job: id, approved: isRight && isGiven });
      }
      ({ deploys } = draft);
      // What another workflow changes of it is not of this draft.
      targets = draft.targets.map((one) => ({ ...one }));
    },
  };
}

type Drafted = {
  readonly id: string;
  readonly operation: string;
  readonly metadata: Readonly<Record<string, string>>;
};

/** Whether another job of the same deploy may still work. */
const openJobs = (
  deploy: DeployRow | undefined,
  jobs: ReadonlyMap<string, RunnerJobStatus>,
  id: string,
): boolean =>
  [deploy?.plan_job_id, deploy?.apply_job_id].some(
    (one) =>
      one != null && one !== id && ["available", "in-progress"].includes(jobs.get(one) ?? ""),
  );

const standing = (id: string, artifact: object) => ({
  id,
  type: "apply",
  build_id: "bld_1",
  artifact,
  is_whole: true,
  outputs_job_id: null,
  values_digest: "",
});

const targetOf = (name: string, isDeployed: boolean): TargetRow => ({
  id: `icm_${name}`,
  component_id: name === "" ? null : `cmp_${name}`,
  name,
  workspace_id: `tfw_${name}`,
  chart_id: `hch_${name}`,
  status: "",
  status_description: "",
  status_at: at,
  deployed_id: isDeployed ? `dep_${name}` : null,
  deployed_at: null,
  touched_id: null,
  latest_id: null,
  drift: null,
  revision: 1,
  held: null,
  is_busy: false,
});

function groupsOf(env: KindEnvironment, newId: NewId, isTeardown: boolean): PlannedGroup[] {
  const making: Making = {
    facts: { config: {}, configId: "cfg_1", actions: [] } as never,
    workflow: {} as never,
    deploys: env.deploys,
    reads: () => env.readsOf("cfg_1"),
    readsOf: env.readsOf,
    newId,
  };
  const [one, two] = env.deploys?.components ?? [];
  if (one === undefined || two === undefined) return [];
  if (isTeardown)
    return [
      ...teardownGroups(making, two),
      ...teardownGroups(making, one),
      ...sandboxGroups(making, "deprovision", { which: "standing" }),
    ];
  const how = { which: "newest" } as const;
  return [
    ...sandboxGroups(making, "provision"),
    ...deployGroups(making, one, how),
    ...deployGroups(making, two, how),
  ];
}

function kindOf(env: KindEnvironment, { kind }: Step): StepKind {
  if (kind === "image") return imageStep(env);
  return kind.endsWith("plan") ? planStep(env) : applyStep(env);
}
