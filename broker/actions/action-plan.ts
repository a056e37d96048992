import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { Json } from "../../shared/app-config/templates/json-value.ts";
import type { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { withAliases } from "../../shared/brands.ts";
import { secondNs } from "../../shared/duration.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";
import { actionPlan } from "../../shared/plans/action-plan.ts";
import { clusterTemplates } from "../deploys/plan/cluster-info-of.ts";
import type { StateBase } from "../installs/state-base.ts";
import type { StateValues } from "../installs/state-values.ts";
import type { PlanWords } from "../rendering/plan-words.ts";
import { renderForPlan } from "../rendering/render-for-plan.ts";
import { mostSecrets, writePlan } from "../rendering/write-plan.ts";
import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import { outlineOf, type PlanOutline } from "../workflows/plan-outline.ts";
import { actionCluster, findActionPlaces, type FoundCluster } from "./action-cluster.ts";

/** An action as its config has it, or as an ad hoc run brings it. */
export type ActionConfigPart = NonNullable<AppConfigDocument["actions"]>[number];
type ActionStepPart = ActionConfigPart["steps"][number];

const defaultTimeoutNs = 5 * 60 * secondNs;

/** How long a run of the action may take, in nanoseconds. */
export const actionTimeoutNs = ({ timeout }: Pick<ActionConfigPart, "timeout">): number =>
  timeout ?? defaultTimeoutNs;

/** A run of which the plan is to be rendered, as JSON. */
type Planning = {
  readonly facts: StateBase;
  readonly action: ActionConfigPart;
  readonly run: {
    readonly id: string;
    readonly configId: string | null;
    readonly env: Readonly<Record<string, string>>;
  };
  /** Of lifecycle runs: why it runs. */
  readonly cause: Readonly<Record<string, string>>;
  readonly apiUrl?: string;
};

/** The text of a plan, and of its twin for people, in which all that depends on something sensitive is masked. */
export type PlanTexts = PlanOutline & { readonly text: string; readonly shown: string };

/** How long a plan and its twin may be together. */
export const mostPlanBytes = 8 * 2 ** 20;

/** The plan of a run, rendered with what is known now; or why there is none. */
export function planAction(
  planning: Planning,
  values: StateValues,
  work: RenderWork,
): PlanTexts | CompositeFault {
  const { action } = planning;
  const facts = { ...planning.facts, ...values };
  if (action.image !== undefined)
    return fault("image_unsupported", "It asks for a container image", noImages);
  const place = { file: `actions/${action.name}.toml`, member: "" };
  const steps = action.steps as unknown as Json; // JSON, as it was checked
  const cluster = clusterTemplates(findActionPlaces(facts, action));
  const rendered = renderForPlan({ steps, cluster }, facts, place, { work, words });
  if ("code" in rendered) return rendered;
  const [real, masked] = [rendered.value, rendered.twin] as unknown as readonly [Given, Given];
  const found = actionCluster(facts, action, { real: real.cluster, masked: masked.cluster });
  if ("code" in found) return found;
  const shown = masked.steps;
  const connected = shown.find(({ connected_repo: repo }) => repo !== undefined);
  if (connected !== undefined)
    return fault("repo_unsupported", "Its source cannot be read", noConnections(connected.name));
  const plan = actionPlan.parse(planOf(planning, real.steps, found));
  const twin = shownOf({
    ...planOf(planning, shown, { ...found, cluster: found.shown }),
    ...(rendered.isMasked && { secrets: [hiddenValue] }), // how many is told to nobody
  });
  const bounds = { work, words, mostBytes: mostPlanBytes, tooLong: planTooLong };
  const written = writePlan({ plan, twin, made: rendered.made }, facts, bounds);
  return "code" in written ? written : { ...written, ...outlineOf(plan, twin) };
}

/** What is rendered of an action, as it was given. */
type Given = { readonly steps: readonly ActionStepPart[]; readonly cluster: Json };

function planOf(
  { facts, action, run, cause, apiUrl }: Planning,
  steps: readonly ActionStepPart[],
  { cluster, isRunners }: Pick<FoundCluster, "cluster" | "isRunners">,
): Readonly<Record<string, unknown>> {
  const { brands = [] } = facts.config;
  return {
    id: run.id,
    install_id: facts.install.id,
    attrs: { name: action.name, action_workflow_config_id: run.configId ?? "" },
    steps: steps.map((step, at) => stepOf(step, `${run.id}.${at + 1}`)),
    builtin_env_vars: withAliases(
      {
        SVC_ORG_ID: facts.org.id,
        SVC_APP_ID: facts.app.id,
        SVC_INSTALL_ID: facts.install.id,
        ...(apiUrl !== undefined && { SVC_API_URL: apiUrl }),
        ...cause,
      },
      brands,
    ),
    ...(brands.length > 0 && { brands }),
    override_env_vars: run.env,
    timeout: actionTimeoutNs(action),
    ...(cluster !== undefined && { cluster_info: cluster }),
    ...(isRunners && { host_cluster: true }),
    ...(facts.install.sandbox_mode === true && { sandbox_mode: { enabled: true } }),
  };
}

/** The variables of one run are whatever its caller gave: they are hidden, too. */
function shownOf(plan: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const env = Object.keys(plan["override_env_vars"] ?? {});
  const hidden = Object.fromEntries(env.map((name) => [name, hiddenValue]));
  return actionPlan.parse({ ...plan, override_env_vars: hidden });
}

function stepOf(step: ActionStepPart, runId: string): Readonly<Record<string, unknown>> {
  const { name, command, inline_contents: contents, env_vars = {}, public_repo: repo } = step;
  return {
    run_id: runId,
    name: textOf(name),
    interpolated_env_vars: Object.fromEntries(
      Object.entries(env_vars).map(([key, value]) => [key, textOf(value)]),
    ),
    ...(command !== undefined && { interpolated_command: textOf(command) }),
    ...(contents !== undefined && { interpolated_inline_contents: textOf(contents) }),
    ...(repo !== undefined && {
      git_source: {
        url: urlOf(textOf(repo.repo)),
        ref: textOf(repo.branch ?? ""),
        path: textOf(repo.directory ?? ""),
      },
    }),
  };
}

/** A template that is one action gives any value; what a shell gets is text. */
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

const urlOf = (repo: string): string =>
  /^[\w.-]+\/[\w.-]+$/.test(repo) ? `https://github.com/${repo}.git` : repo;

const fault = faultOf;
/** The fault of a longer one. */
export const planTooLong = (): CompositeFault => {
  const detail = `Its plan, with its masked twin, is longer than ${mostPlanBytes} bytes. Have its steps fetch what is long.`;
  return fault("render_failed", "Its plan is too long", detail);
};
const words: PlanWords = {
  config: "action's config",
  tooLarge:
    "Its plan is too large for all that is sensitive to be looked for in it. Make its steps shorter.",
  tooMuch: `Its sensitive values expand to more than logs can hide: ${mostSecrets} texts, 1 MiB together. Pass the values to its steps in env_vars instead.`,
};
const noImages =
  "This action has an image. Runners have no container runtime for actions yet. Take `image` out of its config, then sync it.";
const noConnections = (step: string): string =>
  `Its step ${step} has a connected_repo. This broker has no source-control connections. Use public_repo.`;
