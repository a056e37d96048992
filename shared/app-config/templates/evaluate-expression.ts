import {
  Absent,
  type Evaluated,
  type Found,
  mostKeys,
  type Operand,
} from "./functions/template-function.ts";
import { type Json, textOf } from "./json-value.ts";
import { memberName, memberNamed } from "./member-of.ts";
import type { Expression } from "./parse-pipeline.ts";
import { FollowsFault, RenderError, type RenderWork } from "./render-work.ts";
import { memberTaint, type Taint } from "./taint.ts";
import { templateFunctions } from "./template-functions.ts";

/** What a variable or a dot has, how sensitive it is, and its path from the whole, as far as is known. */
export type Slot = {
  /** Undefined: it could not be evaluated. */
  readonly found: Found | undefined;
  readonly taint: Taint;
  readonly path: readonly string[] | undefined;
  /** Something sensitive has a say in whether it could be evaluated. */
  readonly isUnsure?: boolean;
};

/** What expressions are evaluated with. */
export type Evaluation = {
  readonly slots: Map<number, Slot>;
  readonly work: RenderWork;
  /** Whether something sensitive has a say in how the evaluation goes on, and so in its fault, too. */
  isSwayed: boolean;
  /** Whether anything sensitive was read yet: the work that was done may tell of it. */
  hasRead: boolean;
};

/** A value that must be there is not. */
export class MissingValue extends RenderError {
  readonly absent: Absent;

  constructor(absent: Absent, why: string | undefined, at: number) {
    super(why ?? "", at);
    this.absent = absent;
  }
}

/** What an expression gives, which must be there. Throws RenderError. */
export function evaluateValue(
  run: Evaluation,
  expression: Expression,
  why?: string,
): Evaluated<Json> {
  const { found, taint } = evaluateFound(run, expression, false);
  if (found instanceof Absent) throw new MissingValue(found, why, expression.at);
  return { found, taint };
}

/**
 * What an expression gives. Values of and, or, not may be absent where the whole may: in conditions, and in default and
 * coalesce. Throws RenderError.
 */
export function evaluateFound(
  run: Evaluation,
  expression: Expression,
  mayBeAbsent = true,
): Evaluated {
  run.work.spend(1);
  if (expression.kind === "literal") return { found: expression.value, taint: undefined };
  if (expression.kind === "call") return evaluateCall(run, expression, mayBeAbsent);
  const base =
    expression.kind === "path"
      ? slotValue(run, expression.slot)
      : evaluateFound(run, expression.of);
  const { fields } = expression;
  run.work.spend(Math.floor(fields.length / 8));
  if (base.found instanceof Absent) {
    const { path, isWhole } = base.found;
    return { found: new Absent([...path, ...fields], isWhole), taint: base.taint };
  }
  const read = fieldsOf(run, { found: base.found, taint: base.taint }, expression);
  if (read.taint !== undefined) run.hasRead = true;
  return read;
}

function slotValue(run: Evaluation, slot: number): Evaluated {
  const { found, taint, isUnsure = false } = run.slots.get(slot) ?? {};
  if (isUnsure) run.isSwayed = true;
  if (found === undefined) throw new FollowsFault();
  return { found, taint };
}

type Reading = Extract<Expression, { kind: "path" | "fields" }>;

function fieldsOf(run: Evaluation, base: Evaluated<Json>, reading: Reading): Evaluated {
  let { found, taint } = base;
  for (const field of reading.fields) {
    if (taint === true) run.isSwayed = true; // whether it is there
    const name = memberName(found, field, run.work);
    if (name === undefined) {
      const path = pathOf(run, reading);
      const absent = new Absent(path ?? reading.fields, path !== undefined);
      return { found: absent, taint: taint === true ? true : undefined };
    }
    found = memberNamed(found, name);
    taint = memberTaint(taint, name);
  }
  return { found, taint };
}

/** The path of an expression from the whole, as far as is known without its evaluation. */
export function pathOf(run: Evaluation, expression: Expression): readonly string[] | undefined {
  if (expression.kind === "literal") return undefined;
  if (expression.kind !== "call") {
    const base =
      expression.kind === "path"
        ? run.slots.get(expression.slot)?.path
        : pathOf(run, expression.of);
    return base && pathBelow(base, expression.fields);
  }
  const [first, ...keys] = expression.values;
  if (expression.name !== "index" || first === undefined) return undefined;
  const base = pathOf(run, first);
  const below = keys.map((key) => (key.kind === "literal" ? textOf(key.value) : "…"));
  return base && pathBelow(base, below);
}

const pathBelow = (path: readonly string[], keys: readonly string[]) =>
  path.length + keys.length > mostKeys ? undefined : [...path, ...keys];

type Call = Extract<Expression, { kind: "call" }>;

function evaluateCall(run: Evaluation, call: Call, mayBeAbsent: boolean): Evaluated {
  const known = templateFunctions.get(call.name);
  if (known === undefined) throw new RenderError(`the function ${call.name} is not known`);
  try {
    if ("choose" in known) {
      const operands = call.values.map((one) => operandOf(run, one, mayBeAbsent));
      return known.choose(operands, run.work);
    }
    const given = call.values.map((one) => evaluateValue(run, one));
    const values = given.map(({ found }) => found);
    const taint = taintOfCall(known.taintOf, values, given);
    if (taint === true) run.isSwayed = true;
    for (const value of values) spendText(run, value);
    const made = known.compute(values, run.work);
    spendText(run, made);
    return { found: made, taint };
  } catch (error) {
    if (error instanceof RenderError) error.at ??= call.at;
    throw error;
  }
}

type TaintOf = (values: readonly Json[], taints: readonly Taint[]) => Taint;

function taintOfCall(
  taintOf: TaintOf | undefined,
  values: readonly Json[],
  given: readonly Evaluated<Json>[],
): Taint {
  const taints = given.map(({ taint }) => taint);
  if (taints.every((taint) => taint === undefined)) return undefined;
  return taintOf === undefined ? true : taintOf(values, taints);
}

function operandOf(run: Evaluation, one: Expression, mayBeAbsent: boolean): Operand {
  /** What is chosen by it, and whether what comes after it is evaluated at all. */
  function swayed<Value>(evaluated: Evaluated<Value>): Evaluated<Value> {
    if (evaluated.taint === true) run.isSwayed = true;
    return evaluated;
  }
  return {
    value: (why) => swayed(evaluateValue(run, one, why)),
    found: () => swayed(evaluateFound(run, one)),
    asked: () => swayed(mayBeAbsent ? evaluateFound(run, one) : evaluateValue(run, one)),
    literal: one.kind === "literal" ? one.value : undefined,
    path: () => pathOf(run, one),
  };
}

function spendText({ work }: Evaluation, value: Json): void {
  if (typeof value === "string") work.spendText(value.length);
}
