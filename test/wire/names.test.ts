import { expect, test } from "vitest";
import { readRootFile } from "../support/run/source-files.ts";
import { routeKey, wireOperations, type WireType } from "./wire-types.ts";

type Schema = {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Response = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
type Document = {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>
    >
  >;
};

const { paths } = JSON.parse(await readRootFile("test/openapi.json")) as Document;
const ours = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { responses }]) => [routeKey(method, path), responses] as const,
    ),
  ),
);

/** What is answered by another name in some place, and why. */
const otherNames: Readonly<Record<string, string>> = {
  "What is added to a config is read as such by its own route.": `
    ActionWorkflowConfig AppBreakGlassConfig AppInputConfig AppKubernetesContextsConfig AppOperationRoleConfig AppPermissionsConfig AppPoliciesConfig AppRunnerConfig
    AppSandboxConfig AppSecretsConfig AppStackConfig DockerBuildComponentConfig ExternalImageComponentConfig HelmComponentConfig JobComponentConfig
    KubernetesManifestComponentConfig PulumiComponentConfig TerraformModuleComponentConfig RunbookConfig`,
  "What is added says also to which config.": "ActionWorkflow Component Runbook AppSecret",
  "One type of ours answers several calls: which workflow, which token, which run.": `
    CancelWorkflowStepResponse CreateAdHocActionResponse CreateRunnerBootstrapTokenResponse InstallAppConfigVersion RetryWorkflowResponse`,
  "Two of its forms have a name of their own.": "InstallActionWorkflow RunnerHeartBeat",
  "It is one of the words or texts that runners read.": `
    RetryWorkflowStepResponse SkipWorkflowStepResponse TerraformWorkspaceState`,
  "Read by itself it has what it deploys, too; its other answers are whole without that.":
    "Workflow",
  "It has no name.": "AppConfigDiffResponse InstallStateContents",
  "The facts name a type there that has nothing of what is answered.": "Org RunnerJobExecution",
};

test("the types of answers are called as clients call them; what is read alone may have more, and be whole", () => {
  const others = new Map<string, string>();
  for (const { method, path, answers } of wireOperations) {
    const responses = ours.get(routeKey(method, path)) ?? {};
    for (const [status, type] of answers) {
      const name = nameOf(type);
      const schema = responses[status]?.content?.["application/json"]?.schema;
      if (name === undefined || schema === undefined) continue;
      const names = namesIn(schema);
      if (!names.some((one) => one === name || one === `Whole${name}`))
        others.set(name, `${method} ${path} answers ${names.join(", ")}`);
    }
  }
  const known = Object.values(otherNames).flatMap((names) => names.trim().split(/\s+/));
  expect([...others].filter(([name]) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !others.has(name))).toEqual([]);
});

/** The name of an object, or of those of a list. */
function nameOf(type: WireType): string | undefined {
  if (type.kind === "named") return type.name;
  return type.kind === "list" || type.kind === "maybe" ? nameOf(type.of) : undefined;
}

/** The names of what may be answered: of an object, of a list's items, of a page's. */
function namesIn({ $ref, items, anyOf = [], oneOf = [], properties }: Schema): string[] {
  if ($ref !== undefined) return [$ref.split("/").at(-1) ?? ""];
  const page = properties?.["items"];
  const parts = [items, page, ...anyOf, ...oneOf].filter((one) => one !== undefined);
  return parts.flatMap(namesIn);
}
