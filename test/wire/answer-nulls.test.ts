import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const byCommandLines = "Command lines of earlier versions compare it with null.";
const byAgents = "Agents read null; accounts get nothing.";
const byWorkers = "Workers of earlier versions read null.";

/** Where an answer has null for an object that is not there. Everywhere else it is left out: many generated clients cannot read null there. */
const kept: Readonly<Record<string, string>> = {
  "ActionWorkflow.config": byCommandLines,
  "Component.config": byCommandLines,
  "Runbook.config": byCommandLines,
  "QueueEmitter.pause": byCommandLines,
  "QueueEmitter.signal_template": byCommandLines,
  "QueueSignal.queue": byCommandLines,
  "QueueSignal.result": byCommandLines,
  "QueueSignal.signal": byCommandLines,
  "Runner.pause": byCommandLines,
  "Runner.runner_group.pause": byCommandLines,
  "RunnerGroup.pause": byCommandLines,
  "RunnerGroup.runners.pause": byCommandLines,
  "RunnerProcess.groups": byCommandLines,
  "TerraformWorkspace.block": byCommandLines,
  "TerraformWorkspace.lock": byCommandLines,
  "TerraformWorkspace.state": byCommandLines,
  "CurrentOrgWebhookResponse.match": byCommandLines,
  "Runner.runner_job": byAgents,
  "RunnerJob.composite_error": byAgents,
  "RunnerJob.install_role_usage": byAgents,
  "RunnerJob.waiting": byAgents,
  "RunnerJobExecution.outputs": byAgents,
  "RunnerJobExecution.progress": byAgents,
  "RunnerJobExecution.result": byAgents,
  "RunnerJobExecutionResult.composite_error": byAgents,
  "ClaimedSignal.cause": byWorkers,
  "ClaimedSignal.cause.result": byWorkers,
};

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};
type Answer = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
type Operation = { readonly operationId: string; readonly responses: Record<string, Answer> };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

test("an object that is not there is left out of answers, not null", async () => {
  const document = JSON.parse(await readFile("test/openapi.json", "utf8")) as Document; // its own test says that it is one
  const found = new Set(nullObjectsIn(document));
  expect([...found].filter((at) => !(at in kept)).toSorted()).toEqual([]);
  expect(Object.keys(kept).filter((at) => !found.has(at))).toEqual([]);
});

function nullObjectsIn({ paths, components: { schemas } }: Document): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const nameOf = ({ $ref }: Schema) => $ref?.split("/").at(-1);
  const named = (schema: Schema): Schema => {
    const target = schemas[nameOf(schema) ?? ""];
    return target === undefined ? schema : named(target);
  };
  const isObject = (schema: Schema): boolean => {
    const one = named(schema);
    return typesOf(one).includes("object") || partsOf(one).some(isObject);
  };
  const isNull = (schema: Schema): boolean => {
    const one = named(schema);
    return (
      typesOf(one).includes("null") || [...(one.anyOf ?? []), ...(one.oneOf ?? [])].some(isNull)
    );
  };
  const walk = (schema: Schema, at: string): void => {
    const name = nameOf(schema);
    if (name !== undefined) {
      if (seen.has(name)) return;
      seen.add(name);
    }
    const here = name ?? at;
    const one = named(schema);
    for (const [member, inner] of Object.entries(one.properties ?? {})) {
      if (isNull(inner) && isObject(inner)) found.push(`${here}.${member}`);
      walk(inner, `${here}.${member}`);
    }
    for (const inner of partsOf(one)) walk(inner, here);
    if (one.items !== undefined) walk(one.items, here);
    if (typeof one.additionalProperties === "object") walk(one.additionalProperties, `${here}.{}`);
  };
  for (const [operation, schema] of successesOf(paths)) walk(schema, operation);
  return found;
}

/** What each operation answers with success. */
const successesOf = (paths: Document["paths"]): (readonly [string, Schema])[] =>
  Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith("2"))
        .flatMap(([, { content = {} }]) => Object.values(content))
        .flatMap(({ schema }) => (schema === undefined ? [] : [[operationId, schema] as const])),
    );

const typesOf = ({ type }: Schema): readonly string[] =>
  typeof type === "string" ? [type] : (type ?? []);
const partsOf = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): readonly Schema[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
];
