import { createHash } from "node:crypto";

/** The id of an app's policy, by its name: the same in every config of the app that has it. */
export function policyId(appId: string, name: string): string {
  const digest = createHash("sha256").update(`policy ${appId} ${name}`).digest();
  return `pol_${Array.from(digest.subarray(0, 26), (byte) => alphabet.charAt(byte & 31)).join("")}`;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
