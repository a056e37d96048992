import { randomBytes } from "node:crypto";

/** The key of all tests: any broker opens what another sealed. */
export const testKeyLine = `test-1 ${Buffer.alloc(32, 7).toString("base64")}`;

/** What SVC_SEAL_KEYS is for programs of tests. */
export const testSealKeys = `command:echo ${testKeyLine}`;

/** A line of a key file, with a key that nobody else has. */
export const keyLine = (id: string): string => `${id} ${randomBytes(32).toString("base64")}`;
