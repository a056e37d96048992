import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { problem } from "../../shared/problem.ts";
import { toPointer } from "../../shared/scan-json.ts";

/** The members of Helm's record by which it is found. */
export type RecordFacts = {
  readonly name: string;
  readonly version: number;
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
};

const text = z
  .string()
  .max(1000)
  .refine((given) => !given.includes("\0"), "Text must not contain the null character (U+0000).")
  .refine(
    (given) => given.isWellFormed(),
    "Text must be valid Unicode: it contains an unpaired surrogate.",
  );
/** More than an object of Kubernetes has room for: each is kept in a row that is found by it. */
const mostLabelBytes = 1024 * 1024;
const isShort = (labels: object): boolean =>
  Buffer.byteLength(JSON.stringify(labels)) <= mostLabelBytes;
const tooLong = `The labels may have at most ${mostLabelBytes} bytes as JSON.`;
/** Only the first errors of a record with very many are told. */
const mostErrors = 100;
const record = z.looseObject({
  name: text.min(1),
  version: z.int().min(0).max(2_147_483_647).nullish(),
  info: z.looseObject({ status: text.nullish() }).nullish(),
  labels: z.record(text, text).refine(isShort, tooLong).nullish(),
});

/** Parses Helm's release record; 400 or 422 when it is invalid. */
export function readRecord(bytes: Buffer): RecordFacts {
  const { success, data, error } = record.safeParse(parse(bytes));
  if (!success) {
    throw problem.invalid(
      error.issues.slice(0, mostErrors).map(({ path, code, message }) => ({
        pointer: toPointer(path),
        code,
        detail: `This is not a Helm release record: ${message}`,
      })),
    );
  }
  const { name } = data;
  const version = data.version ?? 0;
  const status = data.info?.status ?? "unknown";
  const own = { name, owner: "helm", status, version: String(version) };
  return { name, version, status, labels: { ...data.labels, ...own } };
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw problem.malformed("body_not_utf8", "The body is not valid UTF-8.");
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw problem.malformed("malformed_json", "The Helm release record is not valid JSON.");
  }
}
