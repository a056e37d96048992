import { randomBytes } from "node:crypto";

/** What SVC_SEAL_KEYS is in tests: the same key everywhere, so that any broker opens what another sealed. */
export const testSealKeys = `command:echo test-1 ${Buffer.alloc(32, 7).toString("base64")}`;

/** A line of a key file, with a key that nobody else has. */
export const keyLine = (id: string): string => `${id} ${randomBytes(32).toString("base64")}`;
