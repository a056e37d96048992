import { isDeepStrictEqual } from "node:util";
import type { StateDiff, StateResource } from "../../shared/api/terraform-revisions.ts";
import type { StateSummary } from "./summarize-state.ts";

type Instances = ReadonlyMap<string, Readonly<Record<string, unknown>>>;
type Changes = Pick<StateDiff, "resources" | "outputs">;

/** What one state has that the other has not. What is sensitive is compared as little as it is shown. */
export function diffStates(from: StateSummary, to: StateSummary): Changes {
  const [before, after] = [instancesOf(from), instancesOf(to)];
  const [had, has] = [outputsOf(from), outputsOf(to)];
  return {
    resources: addressesOf(before, after).flatMap((address) => {
      const attributes = changedMembers(before.get(address) ?? {}, after.get(address) ?? {});
      const change = changeOf(before.has(address), after.has(address));
      return change === "changed" && attributes.length === 0
        ? []
        : [{ address, change, attributes }];
    }),
    outputs: changedMembers(had, has).map((one) => ({
      ...one,
      change: changeOf(Object.hasOwn(had, one.name), Object.hasOwn(has, one.name)),
    })),
  };
}

function changeOf(was: boolean, is: boolean): "added" | "removed" | "changed" {
  if (was && is) return "changed";
  return is ? "added" : "removed";
}

function instancesOf({ resources }: StateSummary): Instances {
  return new Map(
    resources.flatMap((resource) =>
      resource.instances.map(
        (instance) => [addressOf(resource, instance.index_key), instance.attributes] as const,
      ),
    ),
  );
}

function addressOf({ address }: StateResource, key: string | number | null): string {
  return key === null ? address : `${address}[${JSON.stringify(key)}]`;
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
