import type { Json, JsonObject } from "../../shared/app-config/templates/json-value.ts";
import type { InstallFacts } from "./install-facts.ts";

/** What stands for a value that must not be shown. */
export const hiddenValue = "(secret)";

/** What a state is made of; of an install that is to be made, too. */
export type StateFacts = Pick<InstallFacts, "org" | "config" | "inputs" | "variables" | "ends"> & {
  readonly install: Pick<
    InstallFacts["install"],
    "id" | "name" | "cloud_platform" | "cloud_account" | "runner_group_id" | "labels"
  >;
  readonly app: Pick<InstallFacts["app"], "id" | "name">;
  readonly runner: Pick<InstallFacts["runner"], "id" | "status">;
};

/** What templates read of an install below `.svc`. A value that nobody has given is not there. */
export function stateOf(facts: StateFacts): JsonObject {
  const { install, org, app, runner, config, variables } = facts;
  const inputs = valuesOf(facts);
  const actions = actionsOf(facts);
  return {
    id: install.id,
    name: install.name,
    org: { id: org.id, name: org.name, status: "active" },
    app: { id: app.id, name: app.name, status: "active", variables },
    install: { id: install.id, name: install.name, inputs },
    inputs: { inputs },
    ...(install.cloud_platform !== "unknown" && {
      cloud_account: { [install.cloud_platform]: install.cloud_account },
    }),
    runner: { id: runner.id, runner_group_id: install.runner_group_id, status: runner.status },
    components: Object.fromEntries((config.components ?? []).map(({ name }) => [name, {}])),
    actions: { ...actions, workflows: actions },
    labels: install.labels,
  };
}

/** The same with the values of sensitive inputs and of the app's secrets hidden, for people. */
export function shownStateOf(facts: StateFacts): JsonObject {
  const sensitive = sensitiveInputs(facts);
  const inputs = Object.fromEntries(
    Object.entries(valuesOf(facts)).map(([name, value]) => [
      name,
      sensitive.has(name) && value !== null ? hiddenValue : value,
    ]),
  ) as InstallFacts["inputs"]; // what nobody has given stays null
  const variables = Object.fromEntries(
    Object.keys(facts.variables).map((name) => [name, hiddenValue]),
  );
  return stateOf({ ...facts, inputs, variables });
}

/** The values that are shown to nobody: of sensitive inputs, their defaults too, and of the app's secrets. */
export function hiddenValues(
  facts: Pick<InstallFacts, "config" | "inputs" | "variables">,
): unknown[] {
  const sensitive = sensitiveInputs(facts);
  const inputs = Object.entries(valuesOf(facts)).flatMap(([name, value]) =>
    sensitive.has(name) && value !== null ? [value] : [],
  );
  return [...inputs, ...Object.values(facts.variables)];
}

/** The names of the inputs whose values are shown to nobody. */
export function sensitiveInputs({ config }: Pick<InstallFacts, "config">): ReadonlySet<string> {
  const inputs = config.inputs?.input ?? [];
  return new Set(inputs.flatMap(({ name, sensitive }) => (sensitive === true ? [name] : [])));
}

/** Given ones, and the defaults of the others; one without a default and not required is null. */
function valuesOf({ config, inputs }: Pick<InstallFacts, "config" | "inputs">): JsonObject {
  return Object.fromEntries(
    (config.inputs?.input ?? []).map(({ name, default: preset }) => [
      name,
      (inputs[name] ?? preset ?? null) as Json, // JSON, as it was stored
    ]),
  );
}

function actionsOf({ config, ends }: StateFacts): JsonObject {
  return Object.fromEntries(
    (config.actions ?? []).map(({ name }) => {
      const end = ends.find((one) => one.name === name);
      const { id = "", status = "", outputs = {} } = end ?? {};
      return [name, { id, status, outputs: outputs as Json }]; // JSON, as the runner brought it
    }),
  );
}
