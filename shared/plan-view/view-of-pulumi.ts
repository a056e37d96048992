import { isTree, listOf, textsIn, type Tree, treeOf } from "../policies/inputs/judged-inputs.ts";
import { pulumiInput } from "../policies/inputs/pulumi-input.ts";
import { diffFields, type Sides } from "./diff-fields.ts";
import { type DraftChange, makePlanView } from "./make-plan-view.ts";
import type { PlanView, ViewAction } from "./plan-view.ts";
import type { Hide } from "./shown-value.ts";
import { textHider } from "./text-hider.ts";

/** The view of the steps of a preview, as our agent tells them and as `pulumi preview --json` prints them; undefined of anything else. */
export function viewOfPulumi(shown: unknown, secrets: readonly string[]): PlanView | undefined {
  if (!isTree(shown) || !Array.isArray(shown["steps"])) return undefined;
  const hide = textHider([...secrets, ...pulumiInput(shown, "").secrets.flatMap(unquoted)]);
  const changes = [...stepsOf(shown)].map(([, step]) => draftOf(step, hide));
  const count = (...wanted: ViewAction[]): number =>
    changes.filter(({ action }) => wanted.includes(action)).length;
  const summary = {
    added: count("add", "import"),
    changed: count("change"),
    replaced: count("replace"),
    removed: count("remove"),
  };
  return makePlanView({ tool: "pulumi", summary, is_noop: changes.length === 0, changes }, hide);
}

/** A secret is kept as JSON. */
function unquoted(secret: string): string[] {
  try {
    return [secret, ...textsIn(JSON.parse(secret))];
  } catch {
    return [secret];
  }
}

const actions: Readonly<Record<string, ViewAction>> = {
  create: "add",
  import: "import",
  update: "change",
  delete: "remove",
  replace: "replace",
  "create-replacement": "replace",
  "delete-replaced": "replace",
  "import-replacement": "replace",
  "discard-replaced": "replace",
};
const still = new Set(["same", "read", "read-replacement", "read-discard", "refresh"]);

/** What changes something; of a replacement, which is told in three steps, the one that says all. */
function stepsOf(shown: Tree): Map<string, Tree> {
  const steps = new Map<string, Tree>();
  for (const step of listOf(shown["steps"]).filter(isTree)) {
    const op = textOf(step["op"]);
    if (still.has(op)) continue;
    const key = `${actionOf(step)} ${textOf(step["urn"])}`;
    if (op === "replace" || !steps.has(key)) steps.set(key, step);
  }
  return steps;
}

const actionOf = (step: Tree): ViewAction => actions[textOf(step["op"])] ?? "change";

function draftOf(step: Tree, hide: Hide): DraftChange {
  const [, , type = "", ...names] = textOf(step["urn"]).split("::");
  const name = names.join("::");
  const action = actionOf(step);
  const kind = textOf(step["type"]) || (type.split("$").at(-1) ?? "");
  const forcing = listOf(step["replaceReasons"]).filter((one) => typeof one === "string");
  return {
    address: name === "" ? textOf(step["urn"]) : `${type} ${name}`,
    type: kind,
    name,
    action,
    provider: kind.split(":")[0] ?? "",
    fieldsOf: () =>
      diffFields(sidesOf(step), {
        hide,
        isUpdate: action === "change" || action === "replace",
        forcing: new Set(forcing),
      }),
  };
}

function sidesOf(step: Tree): Sides {
  const before = step["before"] ?? treeOf(step["oldState"])["inputs"];
  const after = step["after"] ?? treeOf(step["newState"])["inputs"];
  return {
    before: step["op"] === "create" ? undefined : withoutSecrets(before),
    after: step["op"] === "delete" ? undefined : withoutSecrets(after),
    unknown: unknownIn(after),
  };
}

/** By these Pulumi marks a secret. */
const signature = "4dabf18193072939515e22adb298388d";
const ofSecret = "1b47061264138c4ac30d75fd1eb44270";
/** What stands for a value that is known after the update. */
const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isTree(value)) return value;
  if (value[signature] === ofSecret) return "(sensitive value)";
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutSecrets(inner)]));
}

/** Marks as terraform has them: true, or of the shape of the value; undefined where nothing is marked. */
function unknownIn(value: unknown): unknown {
  if (value === unknownValue) return true;
  if (typeof value !== "object" || value === null) return undefined;
  const marks = Object.entries(value).flatMap(([name, inner]) => {
    const mark = unknownIn(inner);
    return mark === undefined ? [] : [[name, mark] as const];
  });
  return marks.length === 0 ? undefined : Object.fromEntries(marks);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
