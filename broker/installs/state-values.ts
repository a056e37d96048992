import type { Json } from "../../shared/app-config/templates/json-value.ts";
import { KnownOutputs } from "./known-outputs.ts";

/** A value of an input. */
export type InputValue =
  | string
  | number
  | boolean
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** What has outputs: by an action's name its newest run that ended well, by `known-outputs.ts`' keys what is deployed. */
export type OutputsEnd = { readonly name: string; readonly id: string; readonly status: string };

/** What templates read of an install and may be long: its inputs, the secrets of its app, and outputs of its actions, components and sandbox. */
export type StateValues = {
  readonly inputs: Readonly<Record<string, InputValue>>;
  /** The secrets of its app, by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly ends: readonly OutputsEnd[];
  readonly outputs: KnownOutputs;
};

type Named = readonly (readonly [name: string, bytes: Buffer])[];

/** Where all of that is stored: nothing is read or opened before it is needed, and no outputs but those that are asked for. */
export type StoredValues = {
  /** Another one where anything of it is another. */
  readonly digest: string;
  /** Of the inputs and secrets. */
  readonly bytes: number;
  readonly ends: readonly (OutputsEnd & { readonly bytes: number })[];
  readonly inputs: () => Promise<Buffer>;
  readonly variables: () => Promise<Named>;
  readonly outputs: (keys: readonly string[]) => Promise<Named>;
};

/** What was read of it, unparsed. */
export type ReadValues = {
  readonly ends: readonly OutputsEnd[];
  readonly inputs: Buffer;
  readonly variables: Named;
  readonly outputs: Named;
  /** By their keys those outputs that are too many. */
  readonly leftOut: readonly string[];
};

/** Looks into what was read. */
export function toStateValues({
  ends,
  inputs,
  variables,
  outputs,
  leftOut,
}: ReadValues): StateValues {
  const opened = outputs.map(([name, bytes]) => [name, jsonOf(bytes) as Json] as const); // as the runner brought it
  return {
    ends,
    inputs: jsonOf(inputs) as StateValues["inputs"], // stored as they were checked
    variables: Object.fromEntries(variables.map(([name, bytes]) => [name, bytes.toString("utf8")])),
    outputs: new KnownOutputs(new Map(opened), leftOut),
  };
}

const jsonOf = (bytes: Buffer): unknown => JSON.parse(bytes.toString("utf8"));

/** The same values, each read with a permit for the database. */
export const readingWithin = (
  withPermit: <Read>(read: () => Promise<Read>) => Promise<Read>,
  values: StoredValues,
): StoredValues => ({
  ...values,
  inputs: () => withPermit(values.inputs),
  variables: () => withPermit(values.variables),
  outputs: (keys) => withPermit(() => values.outputs(keys)),
});

/** The values of an install that is to be made: it has no outputs. */
export function firstValues({
  inputs: given,
  secrets,
}: {
  readonly inputs: StateValues["inputs"];
  readonly secrets: readonly (readonly [name: string, shown: string])[];
}): StoredValues {
  const inputs = Buffer.from(JSON.stringify(given));
  const variables = secrets.map(([name, shown]) => [name, Buffer.from(shown)] as const);
  return {
    digest: "",
    bytes: variables.reduce((sum, [, { length }]) => sum + length, inputs.length),
    ends: [],
    inputs: () => Promise.resolve(inputs),
    variables: () => Promise.resolve(variables),
    outputs: () => Promise.resolve([]),
  };
}
