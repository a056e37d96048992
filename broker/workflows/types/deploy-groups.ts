import type { WhichBuild } from "../../deploys/choose-build.ts";
import type { PartFacts } from "../../deploys/deploy-facts.ts";
import { isImage, membersOf } from "../../deploys/deploy-part.ts";
import { isWanted, needsOf } from "../../deploys/deploy-rules.ts";
import type { PlannedGroup, PlannedStep } from "../machine/step-kind.ts";
import { groupsOfTrigger, withTriggers } from "./action-groups.ts";
import type { Making } from "./making.ts";
import { secretsGroups } from "./secrets-groups.ts";

const mostApplies = 5;

/** How something is deployed. */
export type DeployHow = {
  readonly which: WhichBuild;
  /** Only looked at: what differs is drift. */
  readonly isDrift?: boolean;
  /** Its row is there already. */
  readonly deployId?: string;
  readonly runType?: "apply" | "recover";
  /** It is passed over where what would be deployed is deployed. */
  readonly onlyIfChanged?: boolean;
};
type SandboxOp = "provision" | "reprovision" | "deprovision";

type Pair = {
  readonly kinds: readonly [plan: string, apply: string];
  readonly names: readonly [plan: string, apply: string];
  readonly params: Readonly<Record<string, unknown>>;
  readonly part: PartFacts;
  readonly target: Pick<PlannedStep, "target_type" | "target_id">;
};

/** A plan that is approved, and what carries it out: tried again together, as no plan is carried out twice. */
function planAndApply({ kinds, names, params, part, target }: Pair): PlannedStep[] {
  const configured = part.wanted ?? part.deployedPart;
  const { max_auto_retries: retries = 0 } =
    configured === undefined ? {} : membersOf(configured.part);
  const shared = { ...params, retries_group: true };
  return [
    { kind: kinds[0], name: names[0], execution_type: "approval", params: shared, ...target },
    {
      kind: kinds[1],
      name: names[1],
      params: { ...shared, skippable: true, auto_retries: retries, most_retries: mostApplies },
      ...target,
    },
  ];
}

/** SBX of the contract: the sandbox's plan and its apply, and then the secrets, unless nothing is changed. */
export function sandboxGroups(
  making: Making,
  op: SandboxOp,
  how: Partial<DeployHow> = {},
): PlannedGroup[] {
  const syncs = op !== "deprovision" && how.isDrift !== true && !making.workflow.plan_only;
  return [...ofSandbox(making, op, how), ...(syncs ? secretsGroups(making) : [])];
}

function ofSandbox(
  making: Making,
  op: SandboxOp,
  { which = "newest", isDrift = false }: Partial<DeployHow>,
): PlannedGroup[] {
  const part = making.deploys?.sandbox;
  const isTeardown = op === "deprovision";
  if (part === undefined || (isTeardown ? part.deployed === undefined : part.wanted === undefined))
    return [];
  const steps = planAndApply({
    kinds: ["sbx-plan", "sbx-apply"],
    names: [`${op} sandbox plan`, `${op} sandbox apply plan`],
    params: {
      is_sandbox: true,
      run_type: op,
      which,
      ...(isTeardown && { is_teardown: true }),
      ...(isDrift && { is_drift: true }),
    },
    part,
    target: { target_type: "install_sandbox_runs", target_id: making.newId("sbr") },
  });
  return [{ name: `${op} sandbox`, steps }];
}

/** DEPLOY of the contract: a component's plan and its apply, with its actions; an image is taken by its digest. */
export function deployGroups(making: Making, part: PartFacts, how: DeployHow): PlannedGroup[] {
  const { which, isDrift = false, deployId = making.newId("dep") } = how;
  const { name } = part;
  const configured = part.wanted ?? part.deployedPart;
  const isOfImage = configured !== undefined && isImage(configured.part);
  const params = {
    ...ofComponent(making, part),
    run_type: isOfImage ? "sync-image" : (how.runType ?? "apply"),
    which,
    ...(isDrift && { is_drift: true }),
    ...(how.onlyIfChanged === true && { only_if_changed: true }),
  };
  const target = { target_type: "install_deploys", target_id: deployId };
  if (isOfImage) {
    const step = { kind: "image", name: `sync ${name}`, params: { ...params, skippable: true } };
    return isDrift ? [] : [{ name: `sync ${name}`, steps: [{ ...step, ...target }] }];
  }
  const steps = planAndApply({
    kinds: ["plan", "apply"],
    names: [`sync and plan ${name}`, `apply ${name}`],
    params,
    part,
    target,
  });
  const triggers = {
    pre: "pre-deploy-component",
    post: "post-deploy-component",
    component: name,
  } as const;
  const groups = withTriggers(making, triggers, { name: `deploy ${name}`, steps });
  const [first] = groups;
  if (how.onlyIfChanged !== true || first === undefined || first.steps[0]?.kind === "plan")
    return groups;
  const check = { kind: "check", name: `check whether ${name} changes`, params, ...target };
  // Actions come first: whether there is anything to do is looked at before them, but for those that wait for somebody by themselves.
  return groups.length > 1 ? groups : [{ ...first, steps: [check, ...first.steps] }];
}

/** TEARDOWN of the contract; nothing of what is not deployed. Of an image nothing is changed anywhere: it is no more of the install. */
export function teardownGroups(making: Making, part: PartFacts): PlannedGroup[] {
  const { name, deployed, deployedPart } = part;
  if (deployed === undefined) return [];
  if (
    deployed.type === "sync-image" ||
    (deployedPart !== undefined && isImage(deployedPart.part))
  ) {
    const step = {
      kind: "image",
      name: `teardown ${name}`,
      params: {
        ...ofComponent(making, part),
        run_type: "teardown",
        is_teardown: true,
        skippable: true,
      },
      target_type: "install_deploys",
      target_id: making.newId("dep"),
    };
    return [{ name: step.name, steps: [step] }];
  }
  const steps = planAndApply({
    kinds: ["td-plan", "td-apply"],
    names: [`plan teardown ${name}`, `teardown ${name}`],
    params: {
      ...ofComponent(making, part),
      run_type: "teardown",
      which: "there",
      is_teardown: true,
    },
    part,
    target: { target_type: "install_deploys", target_id: making.newId("dep") },
  });
  const triggers = {
    pre: "pre-teardown-component",
    post: "post-teardown-component",
    component: name,
  } as const;
  return withTriggers(making, triggers, { name: `teardown ${name}`, steps });
}

const ofComponent = (making: Making, { name, componentId }: PartFacts) => ({
  component: name,
  component_id: componentId,
  depends_on: needsOf(making.reads(), name),
});

/** The components of the workflow's config in their order, without those that the install leaves out. */
export function enabledComponents(making: Making): PartFacts[] {
  const { deploys } = making;
  if (deploys === undefined || deploys.components.length === 0) return [];
  const byName = new Map(deploys.components.map((part) => [part.name, part]));
  return making
    .reads()
    .order.flatMap((name) => byName.get(name) ?? [])
    .filter((part) => isWanted(part, deploys.toggles));
}

/** ALL of the contract: every component, between the actions before and after them. */
export function allGroups(making: Making, how: DeployHow): PlannedGroup[] {
  const groups = enabledComponents(making).flatMap((part) => deployGroups(making, part, how));
  if (groups.length === 0) return [];
  return [
    ...groupsOfTrigger(making, "pre-deploy-all-components"),
    ...groups,
    ...groupsOfTrigger(making, "post-deploy-all-components"),
  ];
}

/** DOWN of the contract: every component that is deployed, in the reverse order. */
export function downGroups(making: Making): PlannedGroup[] {
  const all = making.deploys?.components ?? [];
  if (all.length === 0) return [];
  const groups = inReverse(making, all).flatMap((part) => teardownGroups(making, part));
  if (groups.length === 0) return [];
  return [
    ...groupsOfTrigger(making, "pre-teardown-all-components"),
    ...groups,
    ...groupsOfTrigger(making, "post-teardown-all-components"),
  ];
}

/** Each before those that it needs, by the config of which it was deployed. What this config has no more comes first. */
export function inReverse(making: Making, parts: readonly PartFacts[]): PartFacts[] {
  const own = making.facts.configId;
  const placeOf = ({ name, wanted, deployedPart }: PartFacts): readonly [number, number] => {
    const configId = wanted === undefined ? (deployedPart?.configId ?? own) : own;
    const { order } = configId === own ? making.reads() : making.readsOf(configId);
    return [wanted === undefined ? 1 : 0, order.indexOf(name)];
  };
  const placed = parts
    .filter(({ deployed }) => deployed !== undefined)
    .map((part) => ({ part, at: placeOf(part) }));
  return placed
    .toSorted(({ at: [a, i] }, { at: [b, j] }) => b - a || j - i)
    .map(({ part }) => part);
}
