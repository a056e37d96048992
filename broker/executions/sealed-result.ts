import { hash } from "node:crypto";
import { z } from "zod";
import type { Seals } from "../seals/seals.ts";
import type { StagedUploads, SentUpload } from "../seals/staged-uploads.ts";
import type { ResultReport } from "./report.ts";

/** Whose report it is. */
export type OfExecution = { readonly orgId: string; readonly id: string };

/** The contents of a result besides its verdict: a plan file, a manifest, the displayed text. */
const contentsSchema = z.object({
  contents: z.string().optional(),
  contents_display: z.string().optional(),
  contents_gzip: z.string().optional(),
  contents_display_gzip: z.string().optional(),
});
type Contents = z.infer<typeof contentsSchema>;

type StoredResult = Omit<ResultReport, keyof Contents> &
  Contents & {
    /** Base64 of the contents' sealed JSON, in place of the contents. */
    sealed_contents?: string;
    /** The same as a staged upload. */
    sent_contents?: SentUpload;
    key_id?: string;
    /** To tell a repetition from another result, in hexadecimal. */
    fingerprint?: string | undefined;
  };

/** A result as `take_reports` takes it: its contents, where it has any, are sealed as one. */
export function sealResult(
  seals: Seals,
  { orgId, id }: OfExecution,
  result: ResultReport,
): StoredResult {
  const { contents, contents_display, contents_gzip, contents_display_gzip, ...verdict } = result;
  const carried = { contents, contents_display, contents_gzip, contents_display_gzip };
  if (Object.values(carried).every((one) => one === undefined)) return verdict;
  const plain = contentsText(carried);
  const { keyId, bytes } = seals.seal({ orgId, id, part: "result" }, plain);
  if (keyId === null) return { ...verdict, ...carried };
  const fingerprint = seals.fingerprint(hash("sha256", plain, "buffer"), keyId);
  return { ...verdict, sealed_contents: bytes.toString("base64"), key_id: keyId, fingerprint };
}

/** As sealResult; large contents are staged for upload. Without a key they are stored as one value. */
export async function sealLargeResult(
  seals: Seals,
  ahead: StagedUploads,
  { orgId, id, result }: OfExecution & { readonly result: ResultReport },
): Promise<StoredResult> {
  const { large, ...verdict } = result;
  if (large === undefined) return sealResult(seals, { orgId, id }, verdict);
  if (seals.newest() === null) {
    const contents = contentsSchema.parse(JSON.parse(large.toString()));
    return sealResult(seals, { orgId, id }, { ...verdict, ...contents });
  }
  const digest = await large.sha256();
  const { sent, keyId } = ahead.seal(seals, { orgId, id, part: "result" }, large);
  const fingerprint = seals.fingerprint(digest, keyId);
  return { ...verdict, sent_contents: sent, key_id: keyId, fingerprint };
}

/** The part of a result that is sealed: equal contents are equal bytes. */
export function contentsText(carried: Contents): Buffer {
  const { contents, contents_display, contents_gzip, contents_display_gzip } = carried;
  return Buffer.from(
    JSON.stringify({ contents, contents_display, contents_gzip, contents_display_gzip }),
  );
}

/** The contents of a sealed result; refuses what this broker's keys do not open. */
export function openResult(
  seals: Seals,
  { orgId, id }: OfExecution,
  sealed: { readonly keyId: string; readonly bytes: Buffer },
): Contents {
  const plain = seals.open({ orgId, id, part: "result" }, sealed);
  return contentsSchema.parse(JSON.parse(plain.toString("utf8")));
}
