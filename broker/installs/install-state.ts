import type { Json, JsonObject } from "../../shared/app-config/templates/json-value.ts";
import { isList, isMap, textOf } from "../../shared/app-config/templates/json-value.ts";
import type { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import {
  memberTaint,
  type Sensitive,
  type Taint,
  taintOfMembers,
} from "../../shared/app-config/templates/taint.ts";
import { rootsOf } from "../../shared/brands.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";
import { PartFinder } from "../../shared/part-finder.ts";
import { canSpend } from "../rendering/can-spend.ts";
import { deployedState, deployedTaints, lazily, notThere } from "./deployed-state.ts";
import { isActionKey } from "./known-outputs.ts";
import { secretsState } from "./secrets-state.ts";
import type { StateBase } from "./state-base.ts";
import type { StateValues } from "./state-values.ts";

/** What a state is made of; of an install that is to be made, too. */
export type StateFacts = StateBase & StateValues;

/**
 * What templates read of an install below `.svc`. A value that nobody has given is not there. Outputs that are not at hand are
 * noted as missing once they are asked for.
 */
export function stateOf(facts: StateFacts): JsonObject {
  const { install, org, app, runner, variables } = facts;
  const inputs = valuesOf(facts);
  const actions = actionsOf(facts);
  const { components, sandbox, domain, install: more } = deployedState(facts);
  return {
    id: install.id,
    name: install.name,
    org: { id: org.id, name: org.name, status: "active", populated: true },
    app: { id: app.id, name: app.name, status: "active", variables, populated: true },
    install: lazily({ id: install.id, name: install.name, inputs, populated: true }, more),
    inputs: { inputs, populated: true },
    sandbox,
    domain,
    install_stack: notThere,
    ...(install.cloud_platform !== "unknown" && {
      cloud_account: { [install.cloud_platform]: install.cloud_account },
    }),
    runner: {
      id: runner.id,
      runner_group_id: install.runner_group_id,
      status: runner.status,
      populated: true,
    },
    components,
    actions: { populated: true, ...actions, workflows: actions },
    ...(facts.secrets !== undefined && { secrets: secretsState(facts.secrets) }),
    labels: install.labels,
  };
}

/** What templates of a config read: the same by each name that its brands give `.svc`. */
export const byRoots = <Value>(
  value: Value,
  { config: { brands = [] } }: Pick<StateBase, "config">,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(rootsOf(brands).map((root) => [root, value]));

/** The same with what is sensitive of it hidden, for people. */
export const shownStateOf = (facts: StateFacts, work: RenderWork): JsonObject =>
  hiddenIn(stateOf(facts), sensitiveOf(facts, work)) as JsonObject; // which is not hidden as a whole

/**
 * What of a state is sensitive: values of sensitive inputs, the app's secrets, and outputs in which one of these stands. An input that
 * nobody has given is not: that it is missing is no secret. Where looking for them takes more than the work has left, all
 * outputs are.
 */
export function sensitiveOf(facts: StateFacts, work: RenderWork): Sensitive {
  const sensitive = sensitiveInputs(facts);
  const given = Object.entries(valuesOf(facts)).filter(
    ([name, value]) => sensitive.has(name) && value !== null,
  );
  const inputs = allOf(given.map(([name]) => name));
  const needles = hiddenValues(facts).flatMap(needlesOf);
  const isHidden = lookFor(needles, work);
  const taintOf = (key: string): Taint => {
    const outputs = needles.length === 0 ? undefined : facts.outputs.find(key);
    return outputs === undefined ? undefined : taintBy(outputs, isHidden);
  };
  const runs = facts.ends.filter(({ name }) => isActionKey(name));
  const actions = taintOfMembers(
    runs.map(({ name }) => [name, taintOfMembers([["outputs", taintOf(name)]])] as const),
  );
  const deployed = deployedTaints(facts, taintOf);
  return {
    app: { variables: allOf(Object.keys(facts.variables)) },
    install: { inputs, ...deployed.install },
    inputs: { inputs },
    ...deployed.whole,
    ...(actions !== undefined &&
      actions !== true && { actions: { ...actions, workflows: actions } }),
  };
}

const allOf = (names: readonly string[]): Sensitive =>
  Object.fromEntries(names.map((name) => [name, true] as const));

/** Shorter ones stand in any text. */
const leastNeedle = 6;

/** What a value looks like where an action has printed it. */
function needlesOf(value: unknown): string[] {
  const text = textOf(value as Json); // as it was stored
  return [text, Buffer.from(text).toString("base64")].filter(({ length }) => length >= leastNeedle);
}

/** What tells whether one of these is in a text. Once that has taken all that it may, it is said of any. */
export function lookFor(needles: readonly string[], work: RenderWork): (text: string) => boolean {
  const finder = new PartFinder(needles, { count: (letters) => work.spendLook(letters) });
  return (text) => canSpend(work, () => finder.isAnyIn(text)) ?? true;
}

/** What of a value has something hidden in it; a map as a whole where one of its names has. */
function taintBy(value: Json, isHidden: (text: string) => boolean): Taint {
  if (isMap(value) && Object.keys(value).some(isHidden)) return true;
  const members = isList(value)
    ? value.entries()
    : isMap(value)
      ? Object.entries(value)
      : undefined;
  if (members === undefined) return isHidden(textOf(value)) ? true : undefined;
  return taintOfMembers([...members].map(([name, one]) => [String(name), taintBy(one, isHidden)]));
}

/** A value with what is sensitive of it hidden. */
export function hiddenIn(value: Json, taint: Taint): Json {
  if (taint === undefined) return value;
  if (taint === true) return hiddenValue;
  if (isList(value)) return value.map((one, at) => hiddenIn(one, memberTaint(taint, String(at))));
  if (!isMap(value)) return value;
  const masked = Object.entries(taint).flatMap(([name, of]) => {
    const one = Object.hasOwn(value, name) ? value[name] : undefined;
    return one === undefined
      ? []
      : [[name, { value: hiddenIn(one, of), enumerable: true }] as const];
  });
  const members = Object.getOwnPropertyDescriptors(value); // what is read when it is asked for stays so
  return Object.defineProperties({}, { ...members, ...Object.fromEntries(masked) });
}

/** The values that are shown to nobody: of sensitive inputs, their defaults too, and of the app's secrets. */
export function hiddenValues(
  facts: Pick<StateFacts, "config" | "inputs" | "variables">,
): unknown[] {
  const sensitive = sensitiveInputs(facts);
  const inputs = Object.entries(valuesOf(facts)).flatMap(([name, value]) =>
    sensitive.has(name) && value !== null ? [value] : [],
  );
  return [...inputs, ...Object.values(facts.variables)];
}

/** The names of the inputs whose values are shown to nobody. */
export function sensitiveInputs({ config }: Pick<StateBase, "config">): ReadonlySet<string> {
  const inputs = config.inputs?.input ?? [];
  return new Set(inputs.flatMap(({ name, sensitive }) => (sensitive === true ? [name] : [])));
}

/** Given ones, and the defaults of the others; one without a default and not required is null. */
function valuesOf({ config, inputs }: Pick<StateFacts, "config" | "inputs">): JsonObject {
  return Object.fromEntries(
    (config.inputs?.input ?? []).map(({ name, default: preset }) => [
      name,
      (inputs[name] ?? preset ?? null) as Json, // JSON, as it was stored
    ]),
  );
}

type ActionEnd = { readonly id: string; readonly status: string; readonly outputs: Json };

function actionsOf({ config, ends, outputs }: StateFacts): Readonly<Record<string, ActionEnd>> {
  return Object.fromEntries(
    (config.actions ?? []).map(({ name }) => {
      const end = ends.find((one) => one.name === name);
      if (end === undefined) return [name, { id: "", status: "", outputs: {} }];
      return [
        name,
        {
          id: end.id,
          status: end.status,
          get outputs() {
            return outputs.of(name);
          },
        },
      ];
    }),
  );
}
