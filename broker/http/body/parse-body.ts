import { type ProblemError, problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import { type JsonScan, scanJson } from "../../../shared/scan-json.ts";

export type JsonBody = {
  readonly value: unknown;
  readonly text: string;
  readonly verbatim: Map<string, string>;
};

const maxDepth = 64;
const nothing: Map<string, string> = new Map();

/** The value of a body's text, safe to validate and to store. */
export function parseBody(text: string, rule: RouteRule): JsonBody {
  if (rule.surface === "runner" && isHarmless(text)) {
    return { value: withoutNulls(parseJson(text)), text, verbatim: nothing };
  }
  const found = scanJson(text, { maxDepth, verbatim: rule.verbatim });
  if (found.tooDeep !== undefined) {
    throw problem.malformed(
      "too_deep",
      `The JSON is nested too deeply: at most ${maxDepth} levels are allowed.`,
      found.tooDeep,
    );
  }
  const value = parseJson(text);
  requireStorable(found);
  if (rule.surface !== "runner") {
    requireUnambiguous(found);
    return { value: value ?? {}, text, verbatim: found.raw };
  }
  const safe = found.forbiddenKey === undefined ? value : parseWithoutForbiddenKeys(text);
  return { value: withoutNulls(safe), text, verbatim: found.raw };
}

/**
 * Whether a scan of a runner's body can be skipped: no escape that hides a character, no name that
 * reaches for a prototype, fewer brackets than it takes to nest too deep. Most reports are like this.
 */
function isHarmless(text: string): boolean {
  if (text.includes("\\u") || text.includes("proto")) return false;
  let brackets = 0;
  for (let at = text.indexOf("["); at !== -1; at = text.indexOf("[", at + 1)) {
    if (++brackets > maxDepth) return false;
  }
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at + 1)) {
    if (++brackets > maxDepth) return false;
  }
  return true;
}

/** The JSON of a text; 400, without quoting it, when it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the body, which may contain a secret; only the position is reported.
    const at = /position (\d+)/.exec(String(error))?.[1];
    const place =
      at === undefined ? "it is incomplete or has an unexpected character" : `see character ${at}`;
    throw problem.malformed("malformed_json", `The body is not valid JSON: ${place}.`);
  }
}

function requireStorable({ nul, loneSurrogate }: JsonScan): void {
  const errors: ProblemError[] = [];
  if (nul !== undefined) {
    errors.push({
      pointer: nul,
      code: "nul_character",
      detail: "Text must not contain the null character (U+0000).",
    });
  }
  if (loneSurrogate !== undefined) {
    const detail = "Text must be valid Unicode: it contains an unpaired surrogate.";
    errors.push({ pointer: loneSurrogate, code: "lone_surrogate", detail });
  }
  if (errors.length > 0) throw problem.invalid(errors);
}

function requireUnambiguous({ duplicateKey, forbiddenKey }: JsonScan): void {
  if (duplicateKey !== undefined) {
    throw problem.malformed("duplicate_key", "This field appears twice.", duplicateKey);
  }
  if (forbiddenKey !== undefined) {
    throw problem.malformed("forbidden_key", "This field name is not allowed.", forbiddenKey);
  }
}

function parseWithoutForbiddenKeys(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    const isForbidden =
      key === "__proto__" ||
      (key === "constructor" && value instanceof Object && Object.hasOwn(value, "prototype"));
    return isForbidden ? undefined : value;
  });
}

/** Runner clients send null for absent members and for an absent body. */
function withoutNulls(value: unknown): unknown {
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) return value;
  if (!Object.values(value).includes(null)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
