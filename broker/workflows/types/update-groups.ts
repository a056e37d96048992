import { dependentsOf, isChanged, isWanted } from "../../deploys/deploy-rules.ts";
import type { PlannedGroup } from "../machine/step-kind.ts";
import {
  allGroups,
  deployGroups,
  enabledComponents,
  sandboxGroups,
  inReverse,
  teardownGroups,
} from "./deploy-groups.ts";
import type { Making } from "./making.ts";

/** What of a config is another than what is deployed: what it has no more is torn down, the rest and what needs it is deployed. */
export function changedGroups(making: Making): PlannedGroup[] {
  const { deploys } = making;
  if (deploys === undefined) return [];
  const { sandbox, components, toggles } = deploys;
  const hasSandbox = sandbox?.wanted !== undefined && isChanged(sandbox);
  const removed = inReverse(
    making,
    components.filter((part) => !isWanted(part, toggles)),
  );
  const enabled = enabledComponents(making);
  const changed = new Set(
    enabled.filter((part) => hasSandbox || isChanged(part)).map(({ name }) => name),
  );
  const dependents = new Set(changed.size === 0 ? [] : dependentsOf(making.reads(), changed));
  return [
    ...(hasSandbox ? sandboxGroups(making, "reprovision") : []),
    ...removed.flatMap((part) => teardownGroups(making, part)),
    ...enabled.flatMap((part) => {
      if (changed.has(part.name))
        return deployGroups(making, part, {
          which: "newest",
          onlyIfChanged: hasSandbox && !isChanged(part),
        });
      return dependents.has(part.name)
        ? deployGroups(making, part, { which: "newest", onlyIfChanged: true })
        : [];
    }),
  ];
}

/** What refers to an input that has changed, and what needs that: by the builds that are deployed. */
export function inputGroups(making: Making): PlannedGroup[] {
  const { deploys, workflow } = making;
  if (deploys === undefined || (deploys.sandbox === undefined && deploys.components.length === 0))
    return [];
  const names = workflow.params["changed"];
  const changed = new Set(Array.isArray(names) ? names.map(String) : []);
  const { inputs } = making.reads();
  const reads = (name: string): boolean =>
    (inputs[name] ?? []).some((input) => input === "*" || changed.has(input));
  const standing = { which: "standing" } as const;
  if (reads(""))
    return [...sandboxGroups(making, "reprovision", standing), ...allGroups(making, standing)];
  const enabled = enabledComponents(making);
  const affected = new Set(enabled.flatMap(({ name }) => (reads(name) ? [name] : [])));
  const dependents = new Set(dependentsOf(making.reads(), affected));
  return enabled.flatMap((part) => {
    if (affected.has(part.name)) return deployGroups(making, part, standing);
    return dependents.has(part.name)
      ? deployGroups(making, part, { ...standing, onlyIfChanged: true })
      : [];
  });
}
