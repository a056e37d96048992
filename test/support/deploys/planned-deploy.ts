import type {
  ComponentConfigPart,
  DeployOrder,
  DeployPlanned,
  DeployPlanTexts,
  SandboxConfigPart,
} from "../../../broker/deploys/deploy-order.ts";
import { planDeploy } from "../../../broker/deploys/plan/plan-deploy.ts";
import { componentKey, KnownOutputs, sandboxKey } from "../../../broker/installs/known-outputs.ts";
import type { StateBase } from "../../../broker/installs/state-base.ts";
import { appNameOf, openConfigFolder } from "../../../cli/apps/open-config-folder.ts";
import { checkConfigFolder } from "../../../shared/app-config/check-config.ts";
import type { AppConfigDocument } from "../../../shared/app-config/config-files.ts";
import type { Json, JsonObject } from "../../../shared/app-config/templates/json-value.ts";
import { RenderWork } from "../../../shared/app-config/templates/render-work.ts";
import { checkPlan } from "../../../shared/plans/check-plan.ts";
import { baseOf } from "../installs/state-facts.ts";

/** What is deployed in an install of a test, and what it was given. */
type GivenDeployed = {
  readonly config?: StateBase["config"];
  readonly install?: Partial<StateBase["install"]>;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Inputs of which the first is sensitive. */
  readonly inputNames?: readonly string[];
  /** Outputs of deployed components, by their names. */
  readonly components?: Readonly<Record<string, JsonObject>>;
  readonly images?: Readonly<Record<string, string>>;
  /** Those of the sandbox. */
  readonly sandbox?: JsonObject;
};

/** The state of such an install, and the values of it. */
export function deployedFacts(given: GivenDeployed) {
  const { config, install, inputs = {}, components = {}, images = {}, sandbox } = given;
  const base = baseOf(given.inputNames ?? ["secret", ...Object.keys(inputs)]);
  const names = [...Object.keys(components), ...Object.keys(images)];
  const facts: StateBase = {
    ...base,
    install: { ...base.install, ...install },
    config: { ...base.config, components: names.map((name) => ({ name })), ...config },
    deployed: {
      components: names.map((name) => ({
        name,
        status: "active",
        build_id: `bld_${name}`,
        component_id: `cmp_${name}`,
        install_component_id: `icm_${name}`,
        ...(images[name] !== undefined && {
          image: {
            registry: "registry.test",
            repository: `registry.test/${name}`,
            tag: images[name],
            digest,
            pull_secret: "",
          },
        }),
      })),
      ...(sandbox !== undefined && {
        sandbox: { status: "active", type: "terraform", version: "abc" },
      }),
    },
  };
  const known = new Map<string, Json>([
    ...names.map((name) => [componentKey(name), components[name] ?? {}] as const),
    ...(sandbox === undefined ? [] : [[sandboxKey, sandbox] as const]),
  ]);
  const ends = [...known.keys()].map((name) => ({ name, id: `dep_${name}`, status: "active" }));
  const outputs = new KnownOutputs(known);
  return { facts, values: { inputs, variables: {}, ends, outputs } };
}

const digest = `sha256:${"a".repeat(64)}`;

/** An order to plan this, of an artifact unless it is a job. */
export function orderOf(
  part: ComponentConfigPart | { readonly sandbox: SandboxConfigPart },
  facts: StateBase,
  more: Partial<DeployOrder> = {},
): DeployOrder {
  const isSandbox = "sandbox" in part;
  const hasArtifact = isSandbox || part.type !== "job";
  return {
    facts,
    appConfigId: "acf_a",
    part: isSandbox ? part : { component: part, componentId: "cmp_a" },
    target: { id: "icm_a", workspace_id: "tfw_a", chart_id: "hch_a" },
    deployId: "dep_a",
    operation: "apply",
    pullSecret: null,
    artifact: hasArtifact
      ? {
          server: "registry.test:5000",
          repository: "org_a/app_a/cmp_a",
          tag: "bld_a",
          digest,
          plainHttp: false,
        }
      : null,
    references: [],
    ...more,
  };
}

/** What comes of planning this in such an install. */
export function plannedDeploy(
  part: ComponentConfigPart | { readonly sandbox: SandboxConfigPart },
  given: GivenDeployed = {},
  more: Partial<DeployOrder> = {},
): DeployPlanned {
  const { facts, values } = deployedFacts(given);
  return planDeploy(orderOf(part, facts, more), values, new RenderWork());
}

/** The plan, parsed and as its type's schema has it, and its twin. */
export function readPlan(planned: DeployPlanned) {
  const texts = textsOf(planned);
  const plan = JSON.parse(texts.text) as Readonly<Record<string, unknown>>;
  const wrong = checkPlan(texts.type, plan);
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
  const { secrets, ...rest } = plan;
  const shown = JSON.parse(texts.shown) as Readonly<Record<string, unknown>>;
  return { ...texts, plan: rest, shown, secrets: secrets as readonly string[] | undefined };
}

function textsOf(planned: DeployPlanned): DeployPlanTexts {
  if ("code" in planned) throw new Error(`${planned.code}: ${planned.detail}`);
  return planned;
}

/** The config of one of the examples. */
export async function exampleConfig(app: string): Promise<AppConfigDocument> {
  const folder = `examples/apps/${app}`;
  const options = { appName: await appNameOf(folder) };
  const { config } = await checkConfigFolder(await openConfigFolder(folder), options);
  if (config === undefined) throw new Error(`${folder} is no config`);
  return config.document;
}

/** A component of it. */
export function componentIn(config: AppConfigDocument, wanted: string): ComponentConfigPart {
  const found = config.components?.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`there is no component ${wanted}`);
  return found;
}
