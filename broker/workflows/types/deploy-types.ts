import type { PartFacts } from "../../deploys/deploy-facts.ts";
import { isImage } from "../../deploys/deploy-part.ts";
import { dependentsOf, isChanged, needsOf } from "../../deploys/deploy-rules.ts";
import { faultOf, type PlannedGroup } from "../machine/step-kind.ts";
import type { CompositeFault } from "../machine/workflow-rows.ts";
import { groupsOfTrigger } from "./action-groups.ts";
import { group, healthy, state } from "./common-groups.ts";
import {
  allGroups,
  deployGroups,
  type DeployHow,
  downGroups,
  enabledComponents,
  sandboxGroups,
  teardownGroups,
} from "./deploy-groups.ts";
import type { Making } from "./making.ts";
import { secretsGroups } from "./secrets-groups.ts";
import type { WorkflowType } from "./workflow-type.ts";

const nameOf = ({ metadata }: Pick<Making["workflow"], "metadata">): string =>
  metadata["component_name"] ?? "a component";

const begin = (making: Making): PlannedGroup[] => [
  group(state),
  group(healthy(making.facts.runner.id)),
];

/** The component that the workflow is about; nothing where the install has it no more. */
function askedPart({ deploys, workflow }: Making): PartFacts[] {
  const { component_id: id } = workflow.params;
  return (deploys?.components ?? []).filter(({ componentId }) => componentId === id);
}

/** One component, with the images that it needs, and others that somebody asked for besides. */
function askedGroups(making: Making, how: DeployHow): PlannedGroup[] {
  const { deploy_dependents: dependents, deploy_dependencies: dependencies } =
    making.workflow.params;
  return askedPart(making).flatMap((part) => {
    const reads = making.reads();
    const needed = new Set(needsOf(reads, part.name));
    const needing = new Set(dependents === true ? dependentsOf(reads, new Set([part.name])) : []);
    const others = enabledComponents(making);
    const which = how.which === "newest" || how.which === "chosen" ? "newest" : "standing"; // nothing is upgraded unasked
    const changed = { ...how, onlyIfChanged: true, which } as const;
    const before = others.filter(
      (one) => needed.has(one.name) && isNeededFirst(one, dependencies === true),
    );
    const after = others.filter(({ name }) => needing.has(name));
    return [
      ...before.flatMap((one) => deployGroups(making, one, { ...without(changed) })),
      ...deployGroups(making, part, how),
      ...after.flatMap((one) =>
        deployGroups(making, one, { ...without(changed), which: "standing" }),
      ),
    ];
  });
}

/** Of others than the one that was asked for, each has a row of its own. */
const without = ({ which, isDrift = false, onlyIfChanged = false }: DeployHow): DeployHow => ({
  which,
  isDrift,
  onlyIfChanged,
});

/** Images that differ from what is deployed; all else only where it was asked for. */
const isNeededFirst = (part: PartFacts, isAsked: boolean): boolean =>
  isChanged(part) && (isAsked || (part.wanted !== undefined && isImage(part.wanted.part)));

/** Deploys as somebody asked for them: by a build that they chose, or by the newest. */
function howAsked({ workflow: { params } }: Making): DeployHow {
  const { build_id: build, deploy_id: deploy, recover } = params;
  return {
    which: recover === true ? "there" : typeof build === "string" ? "chosen" : "newest",
    ...(typeof deploy === "string" && { deployId: deploy }),
    ...(recover === true && { runType: "recover" as const }),
  };
}

/** Others that are deployed need it, unless it is forced: also those that were deployed while it waited. */
function neededByOthers(making: Making): CompositeFault | undefined {
  const { deploys, workflow } = making;
  const asked = new Set(askedPart(making).map(({ name }) => name));
  if (workflow.params["force"] === true || asked.size === 0) return undefined;
  const needing = new Set(dependentsOf(making.reads(), asked));
  const names = (deploys?.components ?? []).flatMap(({ name, deployed }) =>
    deployed !== undefined && needing.has(name) ? [name] : [],
  );
  return names.length === 0 ? undefined : inUse(names, "Tear these down first, or force it.");
}

/** Components stand on the sandbox: also those that were deployed while it waited. */
function stillDeployed({ deploys }: Making): CompositeFault | undefined {
  const names = (deploys?.components ?? []).flatMap(({ name, deployed }) =>
    deployed === undefined ? [] : [name],
  );
  return names.length === 0 ? undefined : inUse(names, "Tear them down first.");
}

const inUse = (names: readonly string[], todo: string): CompositeFault =>
  faultOf(
    "still_in_use",
    "It is still in use",
    `Deployed is what needs it: ${names.join(", ")}. ${todo}`,
    {
      retryable: false,
    },
  );

const updating = { running: "updating", success: "active", failure: "degraded" } as const;

/** The types of workflows that deploy a part of an install. */
export const deployTypes = {
  manual_deploy: {
    lane: "changes",
    config: "applied",
    deploys: true,
    words: (workflow) => `Deploy ${nameOf(workflow)}`,
    groups: (making) => [...begin(making), ...askedGroups(making, howAsked(making))],
  },
  deploy_components: {
    lane: "changes",
    config: "applied",
    deploys: true,
    words: () => "Deploy all components",
    groups: (making) => [
      group(state),
      group(healthy(making.facts.runner.id)),
      ...allGroups(making, { which: "newest" }),
    ],
  },
  teardown_components: {
    lane: "changes",
    config: "applied",
    deploys: true,
    words: () => "Tear down all components",
    groups: (making) => [...begin(making), ...downGroups(making)],
  },
  teardown_component: {
    lane: "changes",
    config: "applied",
    deploys: true,
    refusal: neededByOthers,
    words: (workflow) => `Tear down ${nameOf(workflow)}`,
    groups: (making) => [
      ...begin(making),
      ...askedPart(making).flatMap((part) => teardownGroups(making, part)),
    ],
  },
  component_enabled: {
    lane: "changes",
    config: "applied",
    deploys: true,
    words: (workflow) => `Enable ${nameOf(workflow)}`,
    groups: (making) => {
      const name = nameOf(making.workflow);
      return [
        ...begin(making),
        ...groupsOfTrigger(making, "pre-enable-component", name),
        ...askedGroups(making, { which: "standing" }),
        ...groupsOfTrigger(making, "post-enable-component", name),
      ];
    },
  },
  component_disabled: {
    lane: "changes",
    config: "applied",
    deploys: true,
    refusal: neededByOthers,
    words: (workflow) => `Disable ${nameOf(workflow)}`,
    groups: (making) => {
      const name = nameOf(making.workflow);
      return [
        ...begin(making),
        ...groupsOfTrigger(making, "pre-disable-component", name),
        ...askedPart(making).flatMap((part) => teardownGroups(making, part)),
        ...groupsOfTrigger(making, "post-disable-component", name),
      ];
    },
  },
  reprovision_sandbox: {
    lane: "changes",
    config: "applied",
    deploys: true,
    phase: updating,
    words: () => "Reprovision the sandbox",
    groups: (making) => [
      group(state, healthy(making.facts.runner.id)),
      ...groupsOfTrigger(making, "pre-reprovision-sandbox"),
      ...sandboxGroups(making, "reprovision", { which: "standing" }),
      ...(making.workflow.params["skip_components"] === true
        ? []
        : allGroups(making, { which: "standing" })),
      ...groupsOfTrigger(making, "post-reprovision-sandbox"),
    ],
  },
  deprovision_sandbox: {
    lane: "changes",
    config: "applied",
    deploys: true,
    refusal: stillDeployed,
    words: () => "Deprovision the sandbox",
    groups: (making) => [
      ...begin(making),
      ...groupsOfTrigger(making, "pre-deprovision-sandbox"),
      ...sandboxGroups(making, "deprovision", { which: "there" }),
      ...groupsOfTrigger(making, "post-deprovision-sandbox"),
    ],
  },
  sync_secrets: {
    lane: "changes",
    config: "applied",
    words: () => "Sync the install's secrets",
    groups: (making) => [group(state), ...secretsGroups(making)],
  },
  drift_run: {
    lane: "plans",
    config: "applied",
    deploys: true,
    words: (workflow) => `Look for drift of ${nameOf(workflow)}`,
    groups: (making) => [
      ...begin(making),
      ...askedPart(making).flatMap((part) =>
        part.deployed?.is_whole !== true
          ? []
          : deployGroups(making, part, { which: "standing", isDrift: true }),
      ),
    ],
  },
  drift_run_reprovision_sandbox: {
    lane: "plans",
    config: "applied",
    deploys: true,
    words: () => "Look for drift of the sandbox",
    groups: (making) => [
      ...begin(making),
      ...(making.deploys?.sandbox?.deployed?.is_whole !== true
        ? []
        : sandboxGroups(making, "reprovision", { which: "standing", isDrift: true })),
    ],
  },
} as const satisfies Readonly<Record<string, WorkflowType>>;
