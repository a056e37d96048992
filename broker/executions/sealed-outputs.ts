import { hash } from "node:crypto";
import { LargeText } from "../seals/large-text.ts";
import type { Sealed, Seals } from "../seals/seals.ts";
import type { StagedUploads, SentUpload } from "../seals/staged-uploads.ts";
import type { ReportedOutputs } from "./report.ts";
import type { OfExecution } from "./sealed-result.ts";

/** Outputs as `take_reports` takes them. */
export type StoredOutputs = {
  /** Base64 of the sealed JSON where there is a key; empty for a staged upload. */
  readonly outputs: unknown;
  readonly sent_outputs?: SentUpload;
  readonly outputs_key_id?: string;
  /** To tell a repetition from other outputs, in hexadecimal. */
  readonly outputs_fingerprint?: string | undefined;
};

/** Outputs as `take_reports` takes them. */
export function sealOutputs(
  seals: Seals,
  { orgId, id }: OfExecution,
  outputs: Readonly<Record<string, unknown>>,
): StoredOutputs {
  const plain = Buffer.from(JSON.stringify(outputs));
  const { keyId, bytes } = seals.seal({ orgId, id, part: "outputs" }, plain);
  if (keyId === null) return { outputs };
  return {
    outputs: bytes.toString("base64"),
    outputs_key_id: keyId,
    outputs_fingerprint: seals.fingerprint(hash("sha256", plain, "buffer"), keyId),
  };
}

/** As sealOutputs; large outputs are staged for upload. Without a key they are stored as one value. */
export async function sealLargeOutputs(
  seals: Seals,
  ahead: StagedUploads,
  { orgId, id, outputs }: OfExecution & { readonly outputs: ReportedOutputs },
): Promise<StoredOutputs> {
  if (!(outputs instanceof LargeText)) return sealOutputs(seals, { orgId, id }, outputs);
  if (seals.newest() === null) {
    return { outputs: JSON.parse(outputs.toString()) as unknown };
  }
  const digest = await outputs.sha256();
  const { sent, keyId } = ahead.seal(seals, { orgId, id, part: "outputs" }, outputs);
  return {
    outputs: "",
    sent_outputs: sent,
    outputs_key_id: keyId,
    outputs_fingerprint: seals.fingerprint(digest, keyId),
  };
}

/** The JSON of outputs; refuses what this broker's keys do not open. */
export function openOutputs(seals: Seals, { orgId, id }: OfExecution, sealed: Sealed): string {
  return seals.open({ orgId, id, part: "outputs" }, sealed).toString("utf8");
}
