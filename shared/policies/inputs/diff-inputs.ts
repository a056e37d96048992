import { isTree, type JudgedInputs, listOf, type Tree } from "./judged-inputs.ts";
import { isKubeObject, type ReviewedObject, reviewInputs } from "./review-inputs.ts";

/** How a diff calls its list: the first name is ours. */
export const diffListNames = ["content_diff", "helm_content_diff", "k8s_content_diff"];

/**
 * What policies read of the JSON in which plans of charts and manifests say what would change: of each object that is created, updated or
 * deleted a review. Undefined where it does not tell an object whole, or is something else.
 */
export function diffInputs(shown: unknown): JudgedInputs | undefined {
  if (!isTree(shown)) return undefined;
  const listed = diffListNames.map((name) => shown[name]).find(Array.isArray);
  if (listed === undefined) return undefined;
  const objects: ReviewedObject[] = [];
  for (const entry of listOf(listed)) {
    const reviewed = isTree(entry) ? reviewedOf(entry) : undefined;
    if (reviewed === undefined) return undefined;
    if (reviewed !== "same") objects.push(reviewed);
  }
  return reviewInputs(objects);
}

const words: ReadonlyMap<unknown, ReviewedObject["operation"] | "same"> = new Map([
  ["create", "CREATE"],
  ["add", "CREATE"],
  ["update", "UPDATE"],
  ["change", "UPDATE"],
  ["replace", "UPDATE"],
  ["delete", "DELETE"],
  ["remove", "DELETE"],
  ["destroy", "DELETE"],
  ["uninstall", "DELETE"],
  ["keep", "same"],
  ["unchanged", "same"],
  ["none", "same"],
]);

function reviewedOf(entry: Tree): ReviewedObject | "same" | undefined {
  const object = wholeOf(entry, "object", "after");
  const oldObject = wholeOf(entry, "old_object", "before");
  const said = [entry["action"], entry["op"], entry["type"]].map((word) => words.get(word));
  const operation = said.find((one) => one !== undefined) ?? operationBy(object, oldObject);
  if (operation === "same" || operation === undefined) return operation;
  if (operation === "DELETE") return oldObject && { operation, object: undefined, oldObject };
  return object && { operation, object, oldObject };
}

/** Of who does not say it by a word. */
function operationBy(
  object: Tree | undefined,
  oldObject: Tree | undefined,
): ReviewedObject["operation"] | undefined {
  if (object === undefined) return oldObject && "DELETE";
  return oldObject === undefined ? "CREATE" : "UPDATE";
}

/** An object by its own member, or as the change of all of it; what names it stands beside it, too. */
function wholeOf(entry: Tree, name: string, side: "before" | "after"): Tree | undefined {
  const all = listOf(entry["changes"])
    .filter(isTree)
    .find(({ path }) => path === "");
  const found = [entry[name], entry[side], all?.[side]].find(isTree);
  if (found === undefined) return undefined;
  const ref = isTree(entry["ref"]) ? entry["ref"] : entry;
  const metadata = {
    ...texts({ name: ref["name"], namespace: ref["namespace"] }),
    ...(isTree(found["metadata"]) && found["metadata"]),
  };
  const whole = {
    ...texts({ apiVersion: ref["apiVersion"] ?? ref["api"], kind: ref["kind"] }),
    ...found,
    metadata,
  };
  return isKubeObject(whole) ? whole : undefined;
}

const texts = (given: Tree): Tree =>
  Object.fromEntries(
    Object.entries(given).filter(([, value]) => typeof value === "string" && value !== ""),
  );
