import path from "node:path";
import { inject } from "vitest";

/** The file of the key that all tests seal with; build-programs.ts writes it. Brokers read it without starting a program. */
export const sealKeysFile = (): string => path.join(inject("programs"), "seal-keys");
