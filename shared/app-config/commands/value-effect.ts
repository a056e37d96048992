import type { Expression } from "../templates/parse-pipeline.ts";

/** What a value may be, from the best: the template's own words; letters that mean nothing to a shell; a word in quotes; anything. */
export type Effect = "own" | "inert" | "quoted" | "raw";
/** What is known of a value. */
export type Known = {
  readonly effect: Effect;
  /** From the whole, where it is what is there. */
  readonly path: readonly string[] | undefined;
  /** Of a value that it is made of, for people. */
  readonly from?: readonly string[] | undefined;
};

type Calls = Extract<Expression, { kind: "call" }>;
const order: readonly Effect[] = ["own", "inert", "quoted", "raw"];
const worst = (known: readonly Known[]): Effect =>
  order.findLast((effect) => known.some((one) => one.effect === effect)) ?? "own";

/** They give numbers, truths, base64 or hexadecimal of whatever they take. */
const inert: ReadonlySet<string> = new Set(
  "int int64 div duration len b64enc sha256sum not eq ne lt le gt ge contains hasPrefix hasSuffix kindIs".split(
    " ",
  ),
);
/** They give one of their values as it is, or put them together. */
const keeping: ReadonlySet<string> = new Set(
  "and or default coalesce toString list dict join print append slice values set dig".split(" "),
);
/** They give what others have hidden in letters that mean nothing. */
const revealing: ReadonlySet<string> = new Set(["b64dec", "fromJson"]);

/** What an expression gives, by what is known of the values that it reads. */
export function effectOf(
  expression: Expression,
  known: (expression: Extract<Expression, { kind: "path" }>) => Known,
): Known {
  if (expression.kind === "literal") return { effect: "own", path: undefined };
  if (expression.kind === "path") return known(expression);
  if (expression.kind === "fields") return below(effectOf(expression.of, known), expression.fields);
  const values = expression.values.map((one) => effectOf(one, known));
  const [first] = values;
  if (expression.name === "index" && first !== undefined) return below(first, keysOf(expression));
  const from = values.map((one) => one.path ?? one.from).find((path) => path !== undefined);
  return { effect: effectOfCall(expression, values), path: undefined, from };
}

/** What is below a value. */
export function below(known: Known, keys: readonly (string | undefined)[]): Known {
  const { effect, path: base, from } = known;
  const path = base && keys.every((key) => key !== undefined) ? [...base, ...keys] : undefined;
  const isInert = effect === "raw" && path !== undefined && isOurs(path);
  return { effect: isInert ? "inert" : effect, path, from: base ?? from };
}

const keysOf = ({ values }: Calls): (string | undefined)[] =>
  values.slice(1).map((key) => (key.kind === "literal" ? String(key.value) : undefined));

function effectOfCall({ name, values: given }: Calls, values: readonly Known[]): Effect {
  if (name === "shellquote") return "quoted";
  if (inert.has(name)) return "inert";
  if (keeping.has(name)) return worst(values);
  if (name === "ternary") return worst(values.slice(0, 2));
  if (name === "required") return worst(values.slice(1));
  if (name === "printf") return keepsWords(given[0]) ? worst(values) : changed(values);
  if (revealing.has(name)) return worst(values) === "own" ? "own" : "raw";
  return changed(values);
}

/** Quotes do not survive that a text is changed. */
const changed = (values: readonly Known[]): Effect =>
  worst(values) === "quoted" ? "raw" : worst(values);

/** Whether a format of printf, without widths and quotes of its own, writes its values as they are. */
const keepsWords = (format: Expression | undefined): boolean =>
  format?.kind === "literal" && !/%(?![%svdxXtf])/.test(String(format.value));

/** Ids and statuses: the broker gives them, nobody else. */
const ours: readonly RegExp[] = [
  /^id$/,
  /^(?:org|app)\.(?:id|status)$/,
  /^install\.id$/,
  /^runner\.(?:id|runner_group_id|status)$/,
  /^actions(?:\.workflows)?\.[^.]+\.(?:id|status)$/,
  /^components\.[^.]+\.(?:status|build_id|component_id|install_component_id)$/,
  /^secrets\.[^.]+\.(?:length|exists|timestamp)$/,
  /^(?:sandbox|install_stack)\.status$/,
];

const isOurs = ([root, ...path]: readonly string[]): boolean =>
  root === "svc" && ours.some((one) => one.test(path.join(".")));
