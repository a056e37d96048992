import { z } from "zod";
import type { Seals } from "../seals/seals.ts";
import type { ResultReport } from "./report.ts";
import type { EvidenceRow } from "./row.ts";
import { openOutputs, sealOutputs } from "./sealed-outputs.ts";
import { openResult, sealResult } from "./sealed-result.ts";

/** Late evidence, as it is stored. */
export type SealedEvidence = Pick<
  EvidenceRow,
  "org_id" | "execution_id" | "kind" | "body" | "key_id"
>;

const sealedResult = z.looseObject({ sealed_contents: z.string() });
const sealedVerdict = z.looseObject({});

/** The verdict of a late result, whose contents are sealed separately. */
export function verdictOf(body: unknown): Readonly<Record<string, unknown>> {
  const { key_id: _, fingerprint: __, ...verdict } = sealedVerdict.parse(body);
  return verdict;
}

/** The report as it was sent; refuses what this broker's keys do not open. */
export function openEvidence(seals: Seals, row: SealedEvidence): unknown {
  const { key_id: keyId, body } = row;
  if (keyId === null) return body;
  const of = { orgId: row.org_id, id: row.execution_id };
  if (row.kind === "outputs") {
    const bytes = Buffer.from(String(body), "base64");
    return JSON.parse(openOutputs(seals, of, { keyId, bytes }));
  }
  const {
    sealed_contents: text,
    key_id: _,
    fingerprint: __,
    ...verdict
  } = sealedResult.parse(body);
  return { ...verdict, ...openResult(seals, of, { keyId, bytes: Buffer.from(text, "base64") }) };
}

/** The same, sealed with the newest key. */
export function sealEvidence(
  seals: Seals,
  row: SealedEvidence,
): { readonly body: unknown; readonly keyId: string | null } {
  const of = { orgId: row.org_id, id: row.execution_id };
  const opened = openEvidence(seals, row);
  if (row.kind === "outputs") {
    const { outputs, outputs_key_id: keyId } = sealOutputs(
      seals,
      of,
      opened as Record<string, unknown>,
    ); // as it was stored
    return { body: outputs, keyId: keyId ?? null };
  }
  const body = sealResult(seals, of, opened as ResultReport); // as it was stored
  return { body, keyId: body.key_id ?? null };
}
