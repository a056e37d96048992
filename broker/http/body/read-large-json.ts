import { isUtf8 } from "node:buffer";
import { enqueueJobRoute, enqueueJobsRoute } from "../../../shared/api/enqueue-jobs.ts";
import {
  createOutputsRoute,
  createResultRoute,
  finishExecutionRoute,
  reportExecutionsRoute,
} from "../../../shared/api/report-executions.ts";
import { enqueueSignalRoute, enqueueSignalsRoute } from "../../../shared/api/signals.ts";
import { isId, planOutline } from "../../../shared/plans/plan-names.ts";
import { type Pointer, type ProblemError, problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import { validateBody } from "../gate/validate.ts";
import { extractStrings, type ExtractedStrings, type Range } from "./extract-strings.ts";
import { cutSignals, isOfSignals, requireShortData } from "./lift-signals.ts";
import { parseBody } from "./parse-body.ts";

/** A part of a large text: as it is, or where it stands in the body. */
export type TextPart = string | Range;

/** What is read: a body of this operation; where it has an idempotency key, the queue in which that holds. */
export type AskedBody = { readonly operationId: string; readonly keyedIn?: string };

/** A large body that was read: its value without its large texts, and these by their pointers. */
export type LargeBody = {
  readonly value: Readonly<Record<string, unknown>>;
  readonly longTexts: readonly (readonly [pointer: string, parts: readonly TextPart[]])[];
  /** Where the body has base64 in the alphabet for URLs, which is kept in the other one. */
  readonly urlBase64: readonly Range[];
  /** What tells signals from others: their data is not in the value. */
  readonly fingerprint?: string | undefined;
};

type Members = Record<string, unknown>;
type Verbatim = ReadonlyMap<string, string>;
/** The texts that are kept outside the value, by pointer. */
type Lift = (
  value: Members,
  given: { readonly verbatim: Verbatim; readonly words: RegExp },
) => Map<string, string>;

/** Those routes whose bodies may be large, and what of them is. */
const lifts: Readonly<Record<string, Lift>> = {
  createResult: (value) => contentsText(value, "#"),
  createOutputs: (value) => outputsOf(value, "#"),
  finishExecution: (value) => reportTexts(value, "#"),
  reportExecutions: ({ reports }) =>
    new Map((reports as Members[]).flatMap((one, at) => [...reportTexts(one, `#/reports/${at}`)])),
  enqueueJob: (value, given) => planText(value, "#", given),
  enqueueJobs: ({ jobs }, given) =>
    new Map((jobs as Members[]).flatMap((one, at) => [...planText(one, `#/jobs/${at}`, given)])),
  enqueueSignal: (_, { verbatim }) => new Map(verbatim),
  enqueueSignals: (_, { verbatim }) => new Map(verbatim),
};

const routes = new Map(
  [
    createResultRoute,
    createOutputsRoute,
    finishExecutionRoute,
    reportExecutionsRoute,
    enqueueJobRoute,
    enqueueJobsRoute,
    enqueueSignalRoute,
    enqueueSignalsRoute,
  ].map((route) => [route.operationId, route]),
);

/** Whether large bodies of this operation are read by themselves. */
export const isReadApart = (operationId: string): boolean => Object.hasOwn(lifts, operationId);

/**
 * Parses a body like the gate parses a small one, with the same refusals, but its long strings never become values:
 * they stay where they are.
 */
export function readLargeJson({ operationId, keyedIn }: AskedBody, bytes: Buffer): LargeBody {
  const [route, lift] = [routes.get(operationId), lifts[operationId]];
  if (route === undefined || lift === undefined) throw new Error(`${operationId} is not large`);
  if (!isUtf8(bytes)) throw problem.malformed("body_not_utf8", "The body is not valid UTF-8.");
  const rule: RouteRule = route.rule;
  const { schema } = route.request.body.content["application/json"];
  const strings = extractStrings(bytes);
  const { value, verbatim } = parseBody(strings.text, rule);
  const judged = (given: unknown): Members =>
    validateBody(schema, given, { isNullAbsent: true, verbatim }) as Members; // all of these are objects
  const valid = judged(value);
  const urlBase64 = checkBase64(valid, { bytes, strings });
  // Until here a short word stands for each long text. Where no long text belongs it is put back, and judged as any other.
  const whole = (given: Members): Members =>
    JSON.stringify(given).search(strings.words) === -1
      ? given
      : judged(restored(given, { bytes, strings }));
  const isCut = isOfSignals(operationId);
  if (isCut) requireShortData(verbatim, strings);
  const given = isCut ? whole(valid) : valid; // what is left out was judged by then
  const fingerprint = isCut ? cutSignals(operationId, given, keyedIn) : undefined;
  const texts = lift(given, { verbatim, words: strings.words });
  return {
    value: whole(given),
    longTexts: [...texts].map(([pointer, text]) => [pointer, partsOf(text, strings)]),
    urlBase64,
    fingerprint,
  };
}

const contentNames = ["contents", "contents_display"] as const;
const base64Names = ["contents_compressed", "contents_display_compressed"] as const;

/** What of a result is kept sealed, by the names it is stored under: the same text as of a small one. */
function contentsOf(result: Members): string {
  const text = JSON.stringify({
    contents: result["contents"] ?? undefined,
    contents_display: result["contents_display"] ?? undefined,
    contents_gzip: result["contents_compressed"] ?? undefined,
    contents_display_gzip: result["contents_display_compressed"] ?? undefined,
  });
  for (const name of [...contentNames, ...base64Names]) delete result[name];
  return text;
}

function outputsOf(value: Members, pointer: string): Map<string, string> {
  const { outputs } = value;
  if (outputs === undefined || outputs === null) return new Map();
  value["outputs"] = {};
  return new Map([[`${pointer}/outputs`, JSON.stringify(outputs)]]);
}

function reportTexts(report: Members, pointer: string): Map<string, string> {
  const texts = outputsOf(report, pointer);
  const result = report["result"] as Members | null | undefined; // as its schema has it
  if (result === undefined || result === null) return texts;
  return new Map([...texts, ...contentsText(result, `${pointer}/result`)]);
}

function contentsText(result: Members, pointer: string): Map<string, string> {
  const contents = contentsOf(result);
  return new Map<string, string>(contents === "{}" ? [] : [[pointer, contents]]);
}

function planText(
  job: Members,
  pointer: string,
  { verbatim, words }: Parameters<Lift>[1],
): Map<string, string> {
  const text = verbatim.get(`${pointer}/plan`);
  if (text === undefined || job["plan"] === undefined || job["plan"] === null) return new Map();
  const isName = (given: string): boolean => isId(given) && given.search(words) === -1;
  job["plan"] = planOutline(job["plan"] as Members, isName); // an object, by its schema
  return new Map([[`${pointer}/plan`, text]]);
}

type Source = { readonly bytes: Buffer; readonly strings: ExtractedStrings };

/** The base64 of results gets its padding; 422 as for small ones. Answers where it is in the alphabet for URLs. */
function checkBase64(value: Members, source: Source): Range[] {
  const errors: ProblemError[] = [];
  const urlBase64: Range[] = [];
  for (const [result, pointer] of resultsIn(value)) {
    for (const name of base64Names) {
      const text = result[name];
      const nth = typeof text === "string" ? wholeWord(text, source.strings) : undefined;
      if (nth === undefined) continue;
      const found = readBase64(source, nth);
      if (found === undefined) {
        const place = `${pointer}/${name}` as const;
        errors.push({ pointer: place, code: "invalid_base64", detail: "Give base64." });
        continue;
      }
      result[name] = `${String(text)}${found.padding}`;
      urlBase64.push(...found.forUrls);
    }
  }
  if (errors.length > 0) throw problem.invalid(errors);
  return urlBase64;
}

function resultsIn(value: Members): [Members, Pointer][] {
  const reports = Array.isArray(value["reports"]) ? (value["reports"] as Members[]) : [];
  const all: [unknown, Pointer][] = [
    [value, "#"],
    [value["result"], "#/result"],
    ...reports.map((one, at): [unknown, Pointer] => [one["result"], `#/reports/${at}/result`]),
  ];
  return all.filter(
    (one): one is [Members, Pointer] => typeof one[0] === "object" && one[0] !== null,
  );
}

const pieceBytes = 64 * 1024;
const [minus, underscore, equals] = [0x2d, 0x5f, 0x3d];

/** The padding that it wants, and where it stands if it is in the alphabet for URLs; undefined where it is no base64. */
function readBase64({ bytes, strings }: Source, nth: number) {
  const [start, sentEnd] = strings.ranges[nth] ?? [0, 0];
  let end = sentEnd;
  while (end > start && sentEnd - end < 2 && bytes[end - 1] === equals) end--;
  if ((end - start) % 4 === 1) return undefined;
  for (let at = start; at < end; at += pieceBytes) {
    const text = bytes.toString("latin1", at, Math.min(end, at + pieceBytes));
    if (!/^[\w+/-]*$/.test(text)) return undefined;
  }
  const range: Range = [start, end];
  strings.ranges[nth] = range;
  const text = bytes.subarray(start, end);
  const isForUrls = text.includes(minus) || text.includes(underscore);
  return {
    padding: "=".repeat((4 - ((end - start) % 4)) % 4),
    forUrls: isForUrls ? [range] : [],
  };
}

function wholeWord(text: string, { words }: ExtractedStrings): number | undefined {
  const [found] = text.matchAll(words);
  return found?.[0] === text ? Number(found[1]) : undefined;
}

/** A text with placeholders for long strings. */
function partsOf(text: string, { ranges, words }: ExtractedStrings): TextPart[] {
  return text.split(words).map((part, at) => {
    return at % 2 === 0 ? part : (ranges[Number(part)] ?? [0, 0]);
  });
}

/** Puts the strings back into everything else. */
function restored(value: unknown, source: Source): unknown {
  if (typeof value === "string") {
    return value.replaceAll(source.strings.words, (_, nth: string) => {
      const [start, end] = source.strings.ranges[Number(nth)] ?? [0, 0];
      return source.bytes.toString("utf8", start, end);
    });
  }
  if (Array.isArray(value)) return value.map((item) => restored(item, source));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, restored(member, source)]),
  );
}
