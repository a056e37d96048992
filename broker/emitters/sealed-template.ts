import { parseExactly } from "../../shared/parse-exactly.ts";
import type { Sealed, Seals } from "../seals/seals.ts";
import type { EmitterWithTemplate } from "./row.ts";

type SealedTemplate = Pick<EmitterWithTemplate, "org_id" | "id" | "key_id" | "contents">;

/** Seals the data of an emitter's signals. */
export function sealTemplate(
  seals: Seals,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  text: string,
): Sealed {
  return seals.seal({ orgId, id, part: "template" }, Buffer.from(text));
}

/** The data of an emitter's signals, as text. */
export function openTemplate(seals: Seals, template: SealedTemplate): Buffer {
  const { org_id: orgId, id, key_id: keyId, contents: bytes } = template;
  return seals.open({ orgId, id, part: "template" }, { keyId, bytes });
}

/** The same as a value, with all digits of its numbers. */
export function readTemplate(seals: Seals, row: SealedTemplate): Readonly<Record<string, unknown>> {
  return parseExactly(openTemplate(seals, row).toString()) as Readonly<Record<string, unknown>>; // written by this file only
}
