import { Absent, type Found, type Operand } from "./functions/template-function.ts";
import { type Json, textOf } from "./json-value.ts";
import { memberOf } from "./member-of.ts";
import type { Expression } from "./parse-pipeline.ts";
import { FollowsFault, RenderError, type RenderWork } from "./render-work.ts";
import { templateFunctions } from "./template-functions.ts";

/** What a variable or a dot has, and its path from the whole, as far as is known. */
export type Slot = {
  /** Undefined: it could not be evaluated. */
  readonly found: Found | undefined;
  readonly path: readonly string[] | undefined;
};

/** What expressions are evaluated with. */
export type Evaluation = { readonly slots: Map<number, Slot>; readonly work: RenderWork };

/** A value that must be there is not. */
export class MissingValue extends RenderError {
  readonly absent: Absent;

  constructor(absent: Absent, why: string | undefined, at: number) {
    super(why ?? "", at);
    this.absent = absent;
  }
}

/** What an expression gives, which must be there. Throws RenderError. */
export function evaluateValue(run: Evaluation, expression: Expression, why?: string): Json {
  const found = evaluateFound(run, expression, false);
  if (found instanceof Absent) throw new MissingValue(found, why, expression.at);
  return found;
}

/**
 * What an expression gives. Values of and, or, not may be absent where the whole may: in conditions, and in default and
 * coalesce. Throws RenderError.
 */
export function evaluateFound(run: Evaluation, expression: Expression, mayBeAbsent = true): Found {
  run.work.spend(1);
  if (expression.kind === "literal") return expression.value;
  if (expression.kind === "call") return evaluateCall(run, expression, mayBeAbsent);
  const { fields } = expression;
  const path = pathOf(run, expression);
  const base =
    expression.kind === "path"
      ? run.slots.get(expression.slot)?.found
      : evaluateFound(run, expression.of);
  if (base === undefined) throw new FollowsFault();
  if (base instanceof Absent) return new Absent([...base.path, ...fields], base.isWhole);
  let value = base;
  for (const field of fields) {
    const next = memberOf(value, field, run.work);
    if (next === undefined) return new Absent(path ?? fields, path !== undefined);
    value = next;
  }
  return value;
}

/** The path of an expression from the whole, as far as is known without its evaluation. */
export function pathOf(run: Evaluation, expression: Expression): readonly string[] | undefined {
  if (expression.kind === "literal") return undefined;
  if (expression.kind !== "call") {
    const base =
      expression.kind === "path"
        ? run.slots.get(expression.slot)?.path
        : pathOf(run, expression.of);
    return base && [...base, ...expression.fields];
  }
  const [first, ...keys] = expression.values;
  if (expression.name !== "index" || first === undefined) return undefined;
  const base = pathOf(run, first);
  const below = keys.map((key) => (key.kind === "literal" ? textOf(key.value) : "…"));
  return base && [...base, ...below];
}

type Call = Extract<Expression, { kind: "call" }>;

function evaluateCall(run: Evaluation, call: Call, mayBeAbsent: boolean): Found {
  const known = templateFunctions.get(call.name);
  if (known === undefined) throw new RenderError(`the function ${call.name} is not known`);
  try {
    if ("choose" in known) {
      const operands = call.values.map((one) => operandOf(run, one, mayBeAbsent));
      return known.choose(operands, run.work);
    }
    const values = call.values.map((one) => evaluateValue(run, one));
    for (const value of values) spendText(run, value);
    const made = known.compute(values, run.work);
    spendText(run, made);
    return made;
  } catch (error) {
    if (error instanceof RenderError) error.at ??= call.at;
    throw error;
  }
}

const operandOf = (run: Evaluation, one: Expression, mayBeAbsent: boolean): Operand => ({
  value: (why) => evaluateValue(run, one, why),
  found: () => evaluateFound(run, one),
  asked: () => (mayBeAbsent ? evaluateFound(run, one) : evaluateValue(run, one)),
  literal: one.kind === "literal" ? one.value : undefined,
  path: () => pathOf(run, one),
});

function spendText({ work }: Evaluation, value: Json): void {
  if (typeof value === "string") work.spendText(value.length);
}
