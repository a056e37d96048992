import { isMap, type Json, type JsonObject } from "../../shared/app-config/templates/json-value.ts";
import {
  memberTaint,
  type Sensitive,
  type Taint,
  taintOfMembers,
} from "../../shared/app-config/templates/taint.ts";
import { componentKey, sandboxKey } from "./known-outputs.ts";
import type { DeployedComponent, StateBase } from "./state-base.ts";
import type { StateValues } from "./state-values.ts";

type Facts = StateBase & StateValues;
type Later = Readonly<Record<string, () => Json>>;

/**
 * What templates read of what is deployed: of components, by each of their names, of the sandbox, and the domains that it gives. Outputs
 * are noted as missing once they are asked for and not at hand.
 */
export function deployedState(facts: Facts): {
  readonly components: JsonObject;
  readonly sandbox: JsonObject;
  readonly domain: JsonObject;
  /** What the install itself has of it. */
  readonly install: Later;
} {
  const sandbox = sandboxOf(facts);
  const domains = domainsOf(facts);
  return {
    components: componentsOf(facts),
    sandbox,
    domain: domains === undefined ? notThere : lazily({}, { populated: isThere, ...domains }),
    install: {
      ...domains,
      ...(facts.deployed?.sandbox !== undefined && { sandbox: () => sandbox }),
    },
  };

  function isThere(): boolean {
    const outputs = facts.outputs.of(sandboxKey);
    return domainNames.some((name) => domainIn(outputs, name) !== undefined);
  }
}

/** The same members, and others that are made when they are read. */
export function lazily(members: JsonObject, later: Later): JsonObject {
  const made = { ...members };
  for (const [name, get] of Object.entries(later))
    Object.defineProperty(made, name, { get, enumerable: true });
  return made;
}

/** Of an install that has not got it: templates may ask for it. */
export const notThere = { populated: false };

function componentsOf(facts: Facts): JsonObject {
  const { deployed, ends } = facts;
  const known = new Map(deployed?.components.map((one) => [one.name, one]));
  const keys = new Set(ends.map(({ name }) => name));
  return byNames(facts, ({ name }) => {
    const key = componentKey(name);
    const members = membersOf(name, known.get(name), keys.has(key));
    return keys.has(key) ? lazily(members, { outputs: () => facts.outputs.of(key) }) : members;
  });
}

function membersOf(
  name: string,
  known: DeployedComponent | undefined,
  populated: boolean,
): JsonObject {
  if (known === undefined) return { name, populated };
  const { image, build_id, ...members } = known;
  return {
    ...members,
    ...(build_id !== null && { build_id }),
    ...(image !== undefined && { image }),
    populated,
  };
}

/** Something of each component by its name, and by its other one where no component is called so. */
function byNames<Made>(
  { config: { components = [] } }: Pick<StateBase, "config">,
  make: (component: { readonly name: string }) => Made,
): Readonly<Record<string, Made>> {
  const made = components.map((one) => ({ ...one, made: make(one) }));
  const others = made.flatMap((one) => (one.var_name ? [[one.var_name, one.made] as const] : []));
  return Object.fromEntries([...others, ...made.map((one) => [one.name, one.made] as const)]);
}

function sandboxOf({ deployed, ends, outputs }: Facts): JsonObject {
  if (deployed?.sandbox === undefined) return notThere;
  const populated = ends.some(({ name }) => name === sandboxKey);
  const members = { ...deployed.sandbox, populated };
  return populated ? lazily(members, { outputs: () => outputs.of(sandboxKey) }) : members;
}

const domainNames = ["public_domain", "internal_domain"] as const;

/** Undefined without a sandbox. Before its outputs are at hand both may be there. */
function domainsOf({ ends, outputs }: Facts): Later | undefined {
  if (!ends.some(({ name }) => name === sandboxKey)) return undefined;
  const known = outputs.find(sandboxKey);
  const there = domainNames.filter(
    (name) => known === undefined || domainIn(known, name) !== undefined,
  );
  return Object.fromEntries(
    there.map((name) => [name, () => domainIn(outputs.of(sandboxKey), name) ?? ""]),
  );
}

/** An output that is a domain, or whose name is one. */
function domainIn(outputs: Json, name: string): string | undefined {
  const found = isMap(outputs) && Object.hasOwn(outputs, name) ? outputs[name] : undefined;
  const named = found !== undefined && isMap(found) ? found["name"] : found;
  return typeof named === "string" && named !== "" ? named : undefined;
}

/** What of that is sensitive, by what of outputs is. */
export function deployedTaints(
  facts: Pick<StateBase, "config">,
  taintOf: (key: string) => Taint,
): {
  readonly whole: Readonly<Record<string, Sensitive>>;
  readonly install: Readonly<Record<string, Sensitive>>;
} {
  const components = byNames(facts, ({ name }) =>
    taintOfMembers([["outputs", taintOf(componentKey(name))]]),
  );
  const outputs = taintOf(sandboxKey);
  const sandbox = ["sandbox", taintOfMembers([["outputs", outputs]])] as const;
  const domains = domainNames.map((name) => {
    const taint = memberTaint(outputs, name);
    return [name, taint === undefined ? undefined : true] as const;
  });
  return {
    whole: known([
      ["components", taintOfMembers(Object.entries(components))],
      sandbox,
      ["domain", taintOfMembers(domains)],
    ]),
    install: known([sandbox, ...domains]),
  };
}

const known = (
  members: readonly (readonly [string, Taint])[],
): Readonly<Record<string, Sensitive>> =>
  Object.fromEntries(members.flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])));
