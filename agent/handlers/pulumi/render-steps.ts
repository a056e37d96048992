import { isChange, type Step } from "./engine-events.ts";

const mostSteps = 500;
const mostValue = 400;
/** How Pulumi marks a secret among values. */
const mark = "4dabf18193072939515e22adb298388d";
const secretKind = "1b47061264138c4ac30d75fd1eb44270";

/** What would be done, by the words that terraform's plans are counted in. */
export type StepCounts = {
  readonly add: number;
  readonly change: number;
  readonly destroy: number;
  readonly replace: number;
  readonly same: number;
};

/** Counts ops; a replacement is counted as one, not as a deletion and a creation. */
export function stepCounts(counts: Readonly<Record<string, number>>): StepCounts {
  const of = (...ops: string[]): number => ops.reduce((sum, op) => sum + (counts[op] ?? 0), 0);
  return {
    add: of("create", "import"),
    change: of("update"),
    destroy: of("delete"),
    replace: Math.max(of("replace"), of("create-replacement"), of("import-replacement")),
    same: of("same"),
  };
}

/** "2 to add, 0 to change, 0 to destroy" */
function countWords({ add, change, destroy, replace }: StepCounts): string {
  const replaced = replace === 0 ? "" : `, ${replace} to replace`;
  return `${add} to add, ${change} to change, ${destroy} to destroy${replaced}`;
}

/** The same of what was done: "2 added, 0 changed, 0 destroyed". */
export function doneWords({ add, change, destroy, replace }: StepCounts): string {
  const replaced = replace === 0 ? "" : `, ${replace} replaced`;
  return `${add} added, ${change} changed, ${destroy} destroyed${replaced}`;
}

/** The steps as text for people, resource by resource, with a word in the place of each secret. */
export function renderSteps(steps: readonly Step[], counts: StepCounts): string {
  const changing = steps.filter(({ op }) => isChange(op) && !isHalf(op));
  const lines = changing
    .slice(0, mostSteps)
    .flatMap((step) => ["", `# ${step.urn} ${future(step.op)}`, titleOf(step), ...inputsOf(step)]);
  const left = changing.length - mostSteps;
  if (left > 0) lines.push("", `… and ${left} more resources`);
  return [...lines, "", closing(changing.length > 0, counts)].join("\n").trimStart();
}

/** The last line: "Plan: 1 to add, 0 to change, 0 to destroy." */
export function closing(hasChanges: boolean, counts: StepCounts): string {
  if (!hasChanges) return "No changes: the resources match the program.";
  return `Plan: ${countWords(counts)}.`;
}

/** A replacement is told in three steps, of which one says all. */
const isHalf = (op: string): boolean => op === "create-replacement" || op === "delete-replaced";

const signs: Readonly<Record<string, string>> = {
  create: "+",
  delete: "-",
  update: "~",
  replace: "-/+",
};
const futures: Readonly<Record<string, string>> = {
  create: "will be created",
  delete: "will be destroyed",
  update: "will be changed in place",
  replace: "must be replaced",
  import: "will be imported",
};

const future = (op: string): string => futures[op] ?? `: ${op}`;
const titleOf = ({ op, urn }: Step): string =>
  `${signs[op] ?? "~"} ${urn.split("::").slice(2).join(" ")}`;

function inputsOf({ before, after }: Step): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((name) => {
    const [from, to] = [shown(before[name]), shown(after[name])];
    // Two secrets look equal, so both are shown: they may differ.
    const isHidden = from !== undefined && to !== undefined && holdsSecret(before[name]);
    if (from === to) return isHidden ? [`    ~ ${name} = ${from}`] : [];
    if (from === undefined) return [`    + ${name} = ${to}`];
    if (to === undefined) return [`    - ${name} = ${from}`];
    return [`    ~ ${name} = ${from} -> ${to}`];
  });
}

function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(withoutSecrets(value));
  return text.length <= mostValue ? text : `${text.slice(0, mostValue).toWellFormed()}…`;
}

/** Whether a value is a secret of Pulumi's, or has one in it. */
export const holdsSecret = (value: unknown): boolean =>
  JSON.stringify(value ?? null).includes(`"${mark}":"${secretKind}"`);

/** The value with a word in the place of each secret. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (Reflect.get(value, mark) === secretKind) return "(sensitive value)";
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner)]),
  );
}
