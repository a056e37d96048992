import { isUtf8 } from "node:buffer";
import type { SecretFormat } from "../../../shared/plans/sync-secrets-plan.ts";
import { SecretFault } from "./secret-fault.ts";

const alphabet = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;

/**
 * The bytes that a value of a store stands for: base64 is decoded, all else is as it is. Throws SecretFault that says what
 * it is not, and nothing of what it is.
 */
export function readFormat(value: Buffer, format: SecretFormat): Buffer {
  if (format === "base64") {
    const text = value.toString("latin1").replaceAll(/\s+/g, "");
    const bare = text.replace(/=+$/, "");
    const isWhole = bare.length % 4 !== 1 && (text === bare || text.length % 4 === 0);
    if (!alphabet.test(text) || !isWhole)
      throw new SecretFault("format", "its value is not base64");
    return Buffer.from(bare, "base64");
  }
  if (format === "json" && !isJson(value)) throw new SecretFault("format", "its value is not JSON");
  return value;
}

function isJson(value: Buffer): boolean {
  if (!isUtf8(value)) return false;
  try {
    JSON.parse(value.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
