import { isDeepStrictEqual } from "node:util";
import type { StateDiff, StateResource } from "../../shared/api/terraform-revisions.ts";
import type { StateSummary } from "./summarize-state.ts";

type Instance = StateResource["instances"][number];
type Instances = ReadonlyMap<string, Instance>;
type Changes = Pick<StateDiff, "resources" | "outputs">;

/** The differences between two states. Sensitive values are neither compared nor shown. */
export function diffStates(from: StateSummary, to: StateSummary): Changes {
  const [before, after] = [instancesOf(from), instancesOf(to)];
  const [had, has] = [outputsOf(from), outputsOf(to)];
  return {
    resources: addressesOf(before, after).flatMap((address) => {
      const changed = changeOfInstance(before.get(address), after.get(address));
      return changed === undefined ? [] : [{ address, ...changed }];
    }),
    outputs: changedMembers(had, has).map((one) => ({
      ...one,
      change: changeOf(Object.hasOwn(had, one.name), Object.hasOwn(has, one.name)),
    })),
  };
}

type InstanceChange = Omit<Changes["resources"][number], "address">;

function changeOfInstance(
  was: Instance | undefined,
  is: Instance | undefined,
): InstanceChange | undefined {
  const attributes = changedMembers(was?.attributes ?? {}, is?.attributes ?? {});
  if (was === undefined || is === undefined) {
    return { change: changeOf(was !== undefined, is !== undefined), attributes };
  }
  if (was.status !== is.status) {
    return { change: "changed", status: { before: was.status, after: is.status }, attributes };
  }
  return attributes.length === 0 ? undefined : { change: "changed", attributes };
}

function changeOf(was: boolean, is: boolean): "added" | "removed" | "changed" {
  if (was && is) return "changed";
  return is ? "added" : "removed";
}

function instancesOf({ resources }: StateSummary): Instances {
  return new Map(
    resources.flatMap((resource) =>
      resource.instances.map((instance) => [addressOf(resource, instance), instance] as const),
    ),
  );
}

/** As Terraform writes them: a deposed object is listed beside its replacement. */
function addressOf({ address }: StateResource, { index_key: key, deposed }: Instance): string {
  const indexed = key === null ? address : `${address}[${JSON.stringify(key)}]`;
  return deposed === null ? indexed : `${indexed} (deposed object ${deposed})`;
}

function addressesOf(before: Instances, after: Instances): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].toSorted();
}

function outputsOf({ outputs }: StateSummary): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    outputs.map(({ name, sensitive, value }) => [name, sensitive ? "(sensitive)" : value]),
  );
}

type Members = Readonly<Record<string, unknown>>;

function changedMembers(
  before: Members,
  after: Members,
): { name: string; before?: unknown; after?: unknown }[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => ({
      name,
      ...(Object.hasOwn(before, name) && { before: before[name] }),
      ...(Object.hasOwn(after, name) && { after: after[name] }),
    }));
}
