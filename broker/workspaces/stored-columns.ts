import type { StateFacts } from "./state-scan.ts";
import type { Stored } from "./store-parts.ts";

/** What a row says of the parts that it names, in JSON. */
export function storedColumns({ sizeBytes, parts, keyId, sealedKey, fingerprints }: Stored) {
  return {
    size_bytes: sizeBytes,
    parts,
    key_id: keyId,
    sealed_key: `\\x${sealedKey.toString("hex")}`,
    fingerprint: `\\x${fingerprints[keyId ?? ""] ?? ""}`,
  };
}

/** And what it says of the state in them. */
export function factColumns({ serial, lineage, terraformVersion = "" }: StateFacts) {
  return { serial, lineage, terraform_version: terraformVersion };
}
