import type { Change, PlanChanges, PlanCounts, ResourceChange } from "./plan-changes.ts";

const mostResources = 500;
const mostValue = 400;

/**
 * A plan as text for people: resource by resource, with placeholders for sensitive and unknown values, and the counts.
 */
export function renderDiff(plan: PlanChanges, isRefreshOnly: boolean): string {
  const lines: string[] = [];
  if (isRefreshOnly) {
    lines.push(
      ...described(
        plan.drift,
        (one) => `# ${one.address} was ${past(one.change)} outside of terraform`,
      ),
    );
  } else {
    lines.push(...described(plan.resources, (one) => `# ${one.address} ${future(one.change)}`));
  }
  const outputs = Object.entries(plan.outputs);
  if (outputs.length > 0) {
    lines.push("", "Changes to outputs:");
    for (const [name, change] of outputs) {
      const whole = { before: { [name]: change.before }, after: { [name]: change.after } };
      const unknown = { after_unknown: { [name]: change.after_unknown } };
      lines.push(...attributes({ ...change, ...whole, ...unknown }, "  "));
    }
  }
  lines.push("", closing(plan, isRefreshOnly));
  return lines.join("\n").trimStart();
}

/** The last line: "Plan: 1 to add, 0 to change, 0 to destroy." */
export function closing(plan: PlanChanges, isRefreshOnly: boolean): string {
  if (isRefreshOnly) {
    const { length } = plan.drift;
    return length === 0
      ? "No drift: the resources match the state."
      : `Drift: ${length} ${length === 1 ? "resource was" : "resources were"} changed outside of terraform.`;
  }
  if (!plan.hasChanges) return "No changes: the resources match the configuration.";
  return `Plan: ${countsOf(plan.counts)}.`;
}

function countsOf({ add, change, destroy, import: imports, forget }: PlanCounts): string {
  const first = imports > 0 ? [`${imports} to import`] : [];
  const last = forget > 0 ? [`${forget} to forget`] : [];
  return [...first, `${add} to add`, `${change} to change`, `${destroy} to destroy`, ...last].join(
    ", ",
  );
}

function described(
  resources: readonly ResourceChange[],
  title: (one: ResourceChange) => string,
): string[] {
  const lines = resources
    .slice(0, mostResources)
    .flatMap((one) => [
      "",
      title(one),
      `${sign(one.change)} ${one.address}`,
      ...attributes(one.change, "    "),
    ]);
  const left = resources.length - mostResources;
  return left > 0 ? [...lines, "", `… and ${left} more resources`] : lines;
}

function sign({ actions }: Change): string {
  const words = actions.join();
  const signs: Readonly<Record<string, string>> = {
    create: "+",
    delete: "-",
    update: "~",
    "delete,create": "-/+",
    "create,delete": "+/-",
    forget: ".",
  };
  return signs[words] ?? "~";
}

function future({ actions, importing }: Change): string {
  const imported = importing == null ? "" : " and imported";
  if (actions.length > 1) return `must be replaced${imported}`;
  const words: Readonly<Record<string, string>> = {
    create: "will be created",
    delete: "will be destroyed",
    update: "will be changed in place",
    forget: "will no longer be managed",
    "no-op": "will be imported",
  };
  return `${words[actions[0] ?? ""] ?? "will be changed"}${imported}`;
}

const past = ({ actions }: Change): string => (actions.includes("delete") ? "deleted" : "changed");

/** The members that differ, one on each line. */
function attributes(change: Change, indent: string): string[] {
  const [before, after] = [membersOf(change.before), membersOf(change.after)];
  const unknown = membersOf(change.after_unknown);
  const names = [
    ...new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(unknown)]),
  ];
  return names.sort().flatMap((name) => {
    const from = shown(before[name]);
    const to = unknown[name] === true ? "(known after apply)" : shown(after[name]);
    const isHidden = isMarked(change, name);
    if (from === to && !isHidden) return [];
    if (from === to && from === "null") return [];
    const mark = from === "null" ? "+" : to === "null" ? "-" : "~";
    if (from === to) return [`${indent}~ ${name} = ${from}`];
    const text = mark === "~" ? `${from} -> ${to}` : mark === "+" ? to : from;
    return [`${indent}${mark} ${name} = ${text}`];
  });
}

/** Two sensitive values look equal, so both are shown: they may differ. */
function isMarked({ actions, before_sensitive, after_sensitive }: Change, name: string): boolean {
  if (actions.join() !== "update") return false;
  return [before_sensitive, after_sensitive].every((marks) => membersOf(marks)[name] === true);
}

function shown(value: unknown): string {
  if (value === undefined) return "null";
  const text = value === "(sensitive value)" ? value : JSON.stringify(value);
  return text.length <= mostValue ? text : `${text.slice(0, mostValue).toWellFormed()}…`;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>) // an object has members
    : {};
}
