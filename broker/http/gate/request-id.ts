import { randomBytes } from "node:crypto";

const admitted = /^[\w-]{8,64}$/;
const blockBytes = 12 * 256;

let block = Buffer.alloc(0);
let used = 0;

/** The caller's own X-Request-Id when it is a plain word of 8 to 64 characters, else a new one. */
export function takeRequestId(sent: string | undefined): string {
  if (sent !== undefined && admitted.test(sent)) return sent;
  if (used >= block.length) {
    block = randomBytes(blockBytes); // one system call for 256 ids
    used = 0;
  }
  used += 12;
  return block.toString("base64url", used - 12, used);
}
