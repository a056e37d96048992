import { parseDocument } from "yaml";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { inputShape } from "../../shared/app-config/rules/input-shape.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { type Pointer, problem, type ProblemError } from "../../shared/problem.ts";
import type { InputValue } from "./state-values.ts";

type Given = Readonly<Record<string, unknown>>;
type Input = NonNullable<NonNullable<AppConfigDocument["inputs"]>["input"]>[number];

/**
 * The values of an install's inputs as they are stored; 422 with everything that is wrong in them. Those of the customer are not
 * demanded; until stacks tell them, the vendor gives what the customer said.
 */
export function checkInputs(
  config: AppConfigDocument,
  given: Given,
): Readonly<Record<string, InputValue>> {
  const inputs = config.inputs?.input ?? [];
  const errors: ProblemError[] = [];
  const tell = (name: string, code: string, detail: string): void => {
    const pointer: Pointer = `#/inputs/${name}`;
    errors.push({ pointer, code, detail });
  };
  const byName = new Map(inputs.map((input) => [input.name, input]));
  const values: Record<string, InputValue> = {};
  for (const [name, value] of Object.entries(given)) {
    const input = byName.get(name);
    if (input === undefined) tell(name, "unknown_input", unknownInput(name, [...byName.keys()]));
    else if (value === null) continue;
    else {
      const fault = faultOf(input, value);
      if (fault === undefined) values[name] = inOneForm(input, value);
      else tell(name, fault.code, fault.detail);
    }
  }
  for (const { name, required, default: preset, source } of inputs) {
    const isGiven = given[name] !== undefined && given[name] !== null;
    if (required !== true || isGiven || preset !== undefined || source === "customer") continue;
    tell(
      name,
      "missing_input",
      `The input ${name} is required and has no default. Give it a value.`,
    );
  }
  if (errors.length > 0) throw problem.invalid(errors);
  return values;
}

const unknownInput = (name: string, known: readonly string[]): string => {
  const near = nearestWord(name, known);
  const meant = near === undefined ? "" : ` Did you mean ${near}?`;
  return `The app's config has no input ${name}.${meant}`;
};

function faultOf(
  { name, type = "string" }: Input,
  value: unknown,
): { readonly code: string; readonly detail: string } | undefined {
  const shape = inputShape(type);
  if (shape?.check(value) === false)
    return { code: "wrong_type", detail: `${name} must be ${shape.words}: its type is ${type}.` };
  if (type !== "yaml" || typeof value !== "string") return undefined;
  const [first] = parseDocument(value).errors;
  return first === undefined
    ? undefined
    : {
        code: "syntax",
        detail: `${name} is not valid YAML: ${first.message.split("\n")[0] ?? ""}`,
      };
}

/** Numbers, truths and lists that came as texts are kept as what they say. */
function inOneForm({ type = "string" }: Input, value: unknown): InputValue {
  if (typeof value === "string" && ["number", "bool", "list"].includes(type))
    return JSON.parse(type === "number" ? String(Number(value)) : value) as InputValue; // it was checked
  return value as InputValue; // JSON, as the schema has it
}
