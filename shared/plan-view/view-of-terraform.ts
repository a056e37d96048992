import { isTree, listOf, type Tree, treeOf } from "../policies/inputs/judged-inputs.ts";
import { terraformInput } from "../policies/inputs/terraform-input.ts";
import { diffFields, type Sides } from "./diff-fields.ts";
import { type DraftChange, makePlanView } from "./make-plan-view.ts";
import type { PlanView, ViewAction, ViewOutput } from "./plan-view.ts";
import { cutText, type Hide, shownValue } from "./shown-value.ts";
import { textHider } from "./text-hider.ts";

/**
 * The view of what `terraform show -json` prints of a plan; undefined of anything else. What terraform marks as sensitive is hidden, also
 * where it stands without a mark.
 */
export function viewOfTerraform(shown: unknown, secrets: readonly string[]): PlanView | undefined {
  if (!isTree(shown) || !isPlan(shown)) return undefined;
  const hide = textHider([...secrets, ...terraformInput(shown, "").secrets]);
  const all = listOf(shown["resource_changes"]).filter(isTree);
  const changes = all.flatMap((one) => draftOf(one, hide));
  const drifted = listOf(shown["resource_drift"])
    .filter(isTree)
    .flatMap((one) => draftOf(one, hide))
    .filter(changesSomething);
  const outputs = outputsOf(treeOf(shown["output_changes"]), hide);
  const acts = listOf(shown["action_invocations"]).length;
  const isStill = !changes.some(changesSomething) && outputs.length + drifted.length + acts === 0;
  return makePlanView(
    {
      tool: "terraform",
      summary: summaryOf(changes),
      drift: driftOf(drifted),
      is_noop: isStill && shown["errored"] !== true,
      changes,
      outputs,
      drifted,
    },
    hide,
  );
}

/** A plan may have changes of outputs alone. */
const isPlan = (shown: Tree): boolean =>
  ["resource_changes", "planned_values", "output_changes"].some((name) => shown[name] != null);

const changesSomething = ({ action }: DraftChange): boolean => action !== "read";

const actionsOf = (change: Tree): string[] =>
  listOf(change["actions"]).filter((one) => typeof one === "string");

/** Undefined of what stays as it is. */
function actionOf(change: Tree): ViewAction | undefined {
  const actions = actionsOf(change);
  if (actions.length > 1) return "replace";
  const [action = "no-op"] = actions;
  if (action === "no-op") return change["importing"] == null ? undefined : "import";
  const words: Readonly<Record<string, ViewAction>> = {
    create: "add",
    update: "change",
    delete: "remove",
    forget: "forget",
    read: "read",
  };
  return words[action] ?? "change";
}

function draftOf(resource: Tree, hide: Hide): DraftChange[] {
  const change = treeOf(resource["change"]);
  const action = actionOf(change);
  if (action === undefined) return [];
  const deposed = textOf(resource["deposed"]);
  const address = textOf(resource["address"]);
  return [
    {
      address: deposed === "" ? address : `${address} (deposed ${deposed})`,
      type: textOf(resource["type"]),
      name: textOf(resource["name"]),
      action,
      provider: textOf(resource["provider_name"]),
      reason: reasonOf(resource, change),
      fieldsOf: () => diffFields(sidesOf(change), { ...rulesOf(change, action), hide }),
    },
  ];
}

/** As terraform calls it, with spaces: "replace because cannot update". */
function reasonOf(resource: Tree, change: Tree): string {
  const reasons = [textOf(resource["action_reason"]).replaceAll("_", " ")];
  const former = textOf(resource["previous_address"]);
  if (former !== "") reasons.push(`moved from ${former}`);
  if (change["importing"] != null) reasons.push("imported");
  return reasons.filter((one) => one !== "").join(", ");
}

const sidesOf = (change: Tree): Sides => ({
  before: change["before"],
  after: change["after"],
  unknown: change["after_unknown"],
  beforeSensitive: change["before_sensitive"],
  afterSensitive: change["after_sensitive"],
});

function rulesOf(change: Tree, action: ViewAction) {
  const forcing = listOf(change["replace_paths"]).map((path) => pathOf(listOf(path)));
  return {
    isUpdate: action === "change" || action === "replace",
    forcing: new Set(forcing),
  };
}

/** As fields have it: ["network", 0, "name"] is network[0].name. */
function pathOf(steps: readonly unknown[]): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    const name = textOf(step);
    if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
    return path === "" ? name : `${path}.${name}`;
  }, "");
}

function outputsOf(outputs: Tree, hide: Hide): ViewOutput[] {
  return Object.entries(outputs).flatMap(([name, given]) => {
    const change = treeOf(given);
    const action = actionOf(change);
    if (action === undefined || action === "read") return [];
    const isUnknown = change["after_unknown"] === true;
    return [
      {
        name: cutText(hide(name), 256).text,
        action,
        ...(isUnknown && { is_unknown: true }),
        ...outputValues(change, hide),
      },
    ];
  });
}

function outputValues(change: Tree, hide: Hide): Omit<ViewOutput, "name" | "action"> {
  const { before, after } = change;
  const marks = JSON.stringify([change["before_sensitive"], change["after_sensitive"]]);
  // It is shown as a whole: one mark within it is enough.
  if (marks.includes("true")) return { is_sensitive: true };
  const [from, to] = [shownValue(before, hide), shownValue(after, hide)];
  return {
    ...(before != null && { before: from.value }),
    ...(after != null && change["after_unknown"] !== true && { after: to.value }),
    ...((from.isCut || to.isCut) && { is_cut: true }),
  };
}

function summaryOf(changes: readonly DraftChange[]): PlanView["summary"] {
  const count = (...actions: ViewAction[]): number =>
    changes.filter(({ action }) => actions.includes(action)).length;
  return {
    added: count("add", "import"),
    changed: count("change"),
    replaced: count("replace"),
    removed: count("remove", "forget"),
  };
}

function driftOf(drifted: readonly DraftChange[]): NonNullable<PlanView["drift"]> {
  const { added, changed, replaced, removed } = summaryOf(drifted);
  return { added, changed: changed + replaced, removed };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
