import type { StateFacts } from "../../../broker/installs/install-state.ts";
import { KnownOutputs } from "../../../broker/installs/known-outputs.ts";
import type { StateBase } from "../../../broker/installs/state-base.ts";
import type { StoredValues } from "../../../broker/installs/state-values.ts";

/** An install of an app with these inputs, of which the first is sensitive, and these actions. */
export function baseOf(inputs: readonly string[], actions: readonly string[] = []): StateBase {
  return {
    org: { id: "org_a", name: "a" },
    app: { id: "app_a", name: "a" },
    runner: { id: "run_a", status: "active" },
    install: {
      id: "ins_a",
      name: "a",
      cloud_platform: "unknown",
      cloud_account: {},
      runner_group_id: "rgr_a",
      labels: {},
    } as unknown as StateBase["install"],
    config: {
      inputs: { input: inputs.map((name, at) => ({ name, ...(at === 0 && { sensitive: true }) })) },
      actions: actions.map((name) => ({ name })),
    },
  };
}

type Given = {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, object>>;
};

/** Such an install with its values, of actions that each ran once. */
export function factsOf({ inputs = {}, variables = {}, outputs = {} }: Given): StateFacts {
  const actions = Object.keys(outputs);
  return {
    ...baseOf(Object.keys(inputs), actions),
    inputs,
    variables,
    ends: actions.map((name) => ({ name, id: `iar_${name}`, status: "finished" })),
    outputs: new KnownOutputs(new Map(Object.entries(outputs) as [string, never][])),
  };
}

/** The same values as they are stored, and a note of what was read of them. */
export function storedOf({ inputs = {}, variables = {}, outputs = {} }: Given): {
  readonly values: StoredValues;
  readonly read: string[];
} {
  const read: string[] = [];
  const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const given = bytesOf(inputs);
  const secrets = Object.entries(variables).map(([name, one]) => [name, Buffer.from(one)] as const);
  const values: StoredValues = {
    digest: JSON.stringify([inputs, variables, Object.keys(outputs)]),
    bytes: secrets.reduce((sum, [, { length }]) => sum + length, given.length),
    ends: Object.entries(outputs).map(([name, one]) => ({
      name,
      id: `iar_${name}`,
      status: "finished",
      bytes: bytesOf(one).length,
    })),
    inputs: () => Promise.resolve(given),
    variables: () => Promise.resolve(secrets),
    outputs: (actions) => {
      read.push(...actions);
      return Promise.resolve(actions.map((name) => [name, bytesOf(outputs[name])] as const));
    },
  };
  return { values, read };
}
