import type { z } from "@hono/zod-openapi";
import { nearestOf } from "../../../shared/issue-words.ts";
import { type Pointer, type ProblemError, problem } from "../../../shared/problem.ts";
import { toPointer } from "../../../shared/scan-json.ts";
import { requireShortLists } from "../body/require-short-lists.ts";
import { pagingFaults } from "./paging-faults.ts";
import { unknownParameter } from "./unknown-parameter.ts";

type Issue = z.core.$ZodIssue;

/** Only the first errors of a body with very many are reported. */
const mostErrors = 100;

/** Nulls that are found only when others are gone are looked for so often. */
const mostRounds = 3;

/**
 * The body as the schema reads it; 422 with a pointer to every wrong member. Where null is absent, a null that
 * the schema does not take is taken out, however deep it lies, and nothing else is. `verbatim` are members whose text is kept:
 * one that is null goes from there, too, and what lies within one stays as it is and is refused.
 */
export function validateBody(
  schema: z.ZodType,
  value: unknown,
  { isNullAbsent = false, verbatim, rounds = mostRounds }: NullRules = {},
): unknown {
  requireShortLists(schema, value);
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isWithin = (path: Path) =>
    path.some((_, depth) => verbatim?.has(toPointer(path.slice(0, depth))) === true);
  const found = isNullAbsent && rounds > 0 ? nullsIn(issues, value) : [];
  const nulls = found.filter((path) => !isWithin(path));
  if (nulls.length === 0) throw problem.invalid(firstErrors(issues, toPointer));
  for (const path of nulls) {
    delete parentAt(value, path)?.[String(path.at(-1))];
    verbatim?.delete(toPointer(path));
  }
  return validateBody(schema, value, { isNullAbsent, verbatim, rounds: rounds - 1 });
}

type NullRules = {
  readonly isNullAbsent?: boolean;
  readonly verbatim?: Map<string, unknown> | undefined;
  readonly rounds?: number;
};

type Path = readonly PropertyKey[];

/** Where a null stands that the schema does not take; of what may have several forms, as the nearest one sees it. */
function nullsIn(issues: readonly Issue[], value: unknown, base: Path = []): readonly Path[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (isNullAt(value, path)) return [path];
    const nearest = issue.code === "invalid_union" ? nearestOf(issue.errors) : undefined;
    return nearest === undefined ? [] : nullsIn(nearest, value, path);
  });
}

function isNullAt(value: unknown, path: Path): boolean {
  const parent = parentAt(value, path);
  return parent !== undefined && !Array.isArray(parent) && parent[String(path.at(-1))] === null;
}

/** The object that has the member at the end of this path. */
function parentAt(value: unknown, path: Path): Record<string, unknown> | undefined {
  let at = value;
  for (const key of path.slice(0, -1)) at = (at as Record<PropertyKey, unknown> | null)?.[key];
  return path.length > 0 && typeof at === "object" && at !== null
    ? (at as Record<string, unknown>)
    : undefined;
}

/** The query as the schema reads it: an empty value is absent; unknown names are 422, or ignored on request. */
export function validateQuery(
  schema: z.ZodObject | undefined,
  sent: Readonly<Record<string, string[]>>,
  ignoresUnknown: boolean,
): unknown {
  const query: Record<string, string | string[]> = {};
  const errors: ProblemError[] = [];
  const known = Object.keys(schema?.shape ?? {});
  for (const [name, values] of Object.entries(sent)) {
    const pointer = `?${name}` as const;
    const given = values.filter((value) => value !== "");
    if (!known.includes(name)) {
      // Each says all that is allowed, and an address has room for thousands.
      if (!ignoresUnknown && errors.length < mostErrors) errors.push(unknownParameter(name, known));
    } else if (given.some((value) => value.includes("\0"))) {
      errors.push({
        pointer,
        code: "nul_character",
        detail: "Text must not contain the null character (U+0000).",
      });
    } else if (given.length > 0) {
      query[name] = given.length === 1 ? (given[0] ?? "") : given;
    }
  }
  const parsed = schema?.safeParse(query, { reportInput: true });
  if (parsed?.success === false) {
    errors.push(...firstErrors(parsed.error.issues, toParameter));
  } else if (parsed !== undefined && !ignoresUnknown) {
    errors.push(...pagingFaults(sent, parsed.data));
  }
  if (errors.length > 0) throw problem.invalid(errors);
  return parsed?.data ?? {};
}

/** A parameter whose text is JSON, as the schema reads it; 422 by the names of the parameter and the wrong members: `?match.installs.ids`. */
export function validateParameter<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  text: string,
): z.output<Schema> {
  const parsed = schema.safeParse(parseParameter(name, text), { reportInput: true });
  if (parsed.success) return parsed.data;
  throw problem.invalid(firstErrors(parsed.error.issues, (path) => toParameter([name, ...path])));
}

function parseParameter(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const detail = "Must be JSON.";
    throw problem.invalid([{ pointer: `?${name}`, code: "malformed_json", detail }]);
  }
}

const toParameter = (path: readonly PropertyKey[]): Pointer => `?${path.map(String).join(".")}`;

type ToPlace = (path: readonly PropertyKey[]) => Pointer;

function firstErrors(issues: readonly Issue[], toPlace: ToPlace): ProblemError[] {
  const first = issues.slice(0, mostErrors).flatMap((issue) => toErrors(issue, toPlace));
  return first.slice(0, mostErrors);
}

function toErrors(
  issue: Issue,
  toPlace: ToPlace,
  base: readonly PropertyKey[] = [],
): ProblemError[] {
  const path = [...base, ...issue.path];
  const { message: detail } = issue;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      pointer: toPlace([...path, key]),
      code: "unknown_member",
      detail,
    }));
  }
  if (issue.code === "invalid_union") {
    const nearest = nearestOf(issue.errors);
    if (nearest !== undefined) return nearest.flatMap((inner) => toErrors(inner, toPlace, path));
  }
  return [{ pointer: toPlace(path), code: codeOf(issue), detail }];
}

/** What the schema met decides, not what was sent: a schema may have renamed its members. */
function codeOf(issue: Issue): string {
  if (issue.code === "custom")
    return typeof issue.params?.["code"] === "string" ? issue.params["code"] : "invalid";
  return issue.code === "invalid_type" && issue.input === undefined ? "required" : issue.code;
}
