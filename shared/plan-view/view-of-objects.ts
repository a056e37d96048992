import { diffListNames } from "../policies/inputs/diff-inputs.ts";
import { isTree, listOf, type Tree, treeOf } from "../policies/inputs/judged-inputs.ts";
import { diffFields, type ShownFields } from "./diff-fields.ts";
import { type DraftChange, makePlanView } from "./make-plan-view.ts";
import { type PlanView, type ViewAction, viewBounds, type ViewField } from "./plan-view.ts";
import type { Hide } from "./shown-value.ts";
import { textHider } from "./text-hider.ts";

/** The view of the JSON in which plans of charts and manifests say what would change; undefined of anything else. */
export function viewOfObjects(
  tool: "helm" | "manifests",
  shown: unknown,
  secrets: readonly string[],
): PlanView | undefined {
  if (!isTree(shown)) return undefined;
  const listed = diffListNames.map((name) => shown[name]).find(Array.isArray);
  if (listed === undefined && !isTree(shown["counts"])) return undefined;
  const hide = textHider(secrets);
  const changes = listOf(listed)
    .filter(isTree)
    .flatMap((one) => draftOf(one, hide));
  const summary = summaryOf(changes, treeOf(shown["counts"]));
  const isStill = !changes.some(({ action }) => action !== "keep");
  const is_noop = isStill && !summary.isAny && !leavesMore(shown);
  const { added, changed, replaced, removed } = summary;
  return makePlanView(
    { tool, summary: { added, changed, replaced, removed }, is_noop, changes },
    hide,
  );
}

/** How many objects others manage in part; such a plan cannot be applied. */
export const conflictsIn = (shown: unknown): number =>
  countOf(treeOf(treeOf(shown)["counts"])["conflict"]);

/** Though no object changes: a release that is not deployed well is deployed anew, and objects may have to be remembered. */
function leavesMore({ op, release, unremembered }: Tree): boolean {
  if (!isTree(release)) return countOf(unremembered) > 0;
  const status = release["status"] ?? "";
  return op === "teardown" ? status !== "" : status !== "deployed";
}

function draftOf(given: Tree, hide: Hide): DraftChange[] {
  const action = actionOf(given);
  if (action === undefined) return [];
  const ref = isTree(given["ref"]) ? given["ref"] : given;
  const [kind, name] = [textOf(ref["kind"]), textOf(ref["name"])];
  const version = textOf(ref["apiVersion"]) || textOf(ref["api"]);
  const namespace = textOf(ref["namespace"]);
  const place = namespace === "" ? name : `${namespace}/${name}`;
  return [
    {
      address: `${kind} ${place}`.trim(),
      type: version === "" ? kind : `${version}/${kind}`,
      name,
      action,
      reason: reasonOf(given),
      fieldsOf: () => fieldsOf(given, { action, isSecret: kind === "Secret", hide }),
    },
  ];
}

const actions: Readonly<Record<string, ViewAction | "">> = {
  create: "add",
  add: "add",
  update: "change",
  change: "change",
  replace: "replace",
  delete: "remove",
  remove: "remove",
  conflict: "conflict",
  keep: "keep",
  unchanged: "",
  none: "",
};

/** Undefined of what stays as it is. Who does not say it by a word says it by what there is before and after. */
function actionOf(given: Tree): ViewAction | undefined {
  const words = [given["action"], given["op"], given["type"]].map(textOf);
  const known = words.map((word) => actions[word]).find((one) => one !== undefined);
  if (known !== undefined) return known === "" ? undefined : known;
  const has = (side: string): boolean => given[side] != null && given[side] !== "";
  if (words.includes("destroy") || words.includes("uninstall")) return "remove";
  if (has("before") !== has("after")) return has("after") ? "add" : "remove";
  const isEmpty = entriesOf(given).length === 0 && given["before"] === given["after"];
  return isEmpty ? undefined : "change";
}

function reasonOf({ words, conflicts }: Tree): string {
  const taken = listOf(conflicts)
    .slice(0, 20)
    .map(treeOf)
    .map(({ manager, field }) => `${textOf(field)} is managed by ${textOf(manager)}`);
  return [textOf(words), ...taken].filter((one) => one !== "").join("; ");
}

const entriesOf = (given: Tree): readonly unknown[] =>
  [given["changes"], given["entries"]].find((one) => Array.isArray(one)) ?? [];

type Asked = { readonly action: ViewAction; readonly isSecret: boolean; readonly hide: Hide };

function fieldsOf(given: Tree, { action, isSecret, hide }: Asked): ShownFields {
  const rules = {
    hide,
    isUpdate: action === "change",
    ...(isSecret && { isSensitive: (path: string) => secretPath.test(path) }),
  };
  const fields: ViewField[] = [];
  const entries = entriesOf(given);
  if (entries.length === 0) {
    const whole = { before: objectOf(given["before"]), after: objectOf(given["after"]) };
    return diffFields(whole, rules);
  }
  for (const entry of entries.slice(0, viewBounds.fields).map(treeOf)) {
    const [before, after] = [
      entry["before"] ?? entry["original"],
      entry["after"] ?? entry["applied"],
    ];
    const { fields: found, isCut } = diffFields({ before, after }, rules, textOf(entry["path"]));
    fields.push(...found.slice(0, viewBounds.fields - fields.length));
    if (isCut || fields.length === viewBounds.fields) return { fields, isCut: true };
  }
  return { fields, isCut: entries.length > viewBounds.fields };
}

/** Of a Secret: its values, all of it, and where they are written once more. */
const secretPath = /^$|^\.?(?:data|stringData)(?:$|[.[/])|last-applied-configuration/;

/** A text of YAML is not read: a Secret may be in it. */
const objectOf = (value: unknown): Tree | undefined => (isTree(value) ? value : undefined);

function summaryOf(
  changes: readonly DraftChange[],
  counts: Tree,
): PlanView["summary"] & { readonly isAny: boolean } {
  const of = (wanted: ViewAction, told = ""): number =>
    Math.max(changes.filter(({ action }) => action === wanted).length, countOf(counts[told]));
  const summary = {
    added: of("add", "create"),
    changed: of("change", "update"),
    replaced: of("replace"),
    removed: of("remove", "delete"),
  };
  const isAny = [...Object.values(summary), of("conflict", "conflict")].some((one) => one > 0);
  return { ...summary, isAny };
}

function countOf(given: unknown): number {
  return typeof given === "number" && Number.isSafeInteger(given) && given > 0 ? given : 0;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
