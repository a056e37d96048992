import { hash } from "node:crypto";
import type { Sealed, Seals } from "../seals/seals.ts";
import type { OfExecution } from "./sealed-result.ts";

/** Outputs as `take_reports` takes them. */
export type StoredOutputs = {
  /** Base64 of the sealed JSON where there is a key. */
  readonly outputs: unknown;
  readonly outputs_key_id?: string;
  /** By which a repetition is told from other outputs, in hexadecimal. */
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
    outputs_fingerprint: seals.fingerprints(hash("sha256", plain, "buffer"))[keyId],
  };
}

/** The JSON of outputs; refuses what this broker's keys do not open. */
export function openOutputs(seals: Seals, { orgId, id }: OfExecution, sealed: Sealed): string {
  return seals.open({ orgId, id, part: "outputs" }, sealed).toString("utf8");
}
