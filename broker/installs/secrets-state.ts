import type { JsonObject } from "../../shared/app-config/templates/json-value.ts";
import type { KnownSecret } from "./state-base.ts";

/** What templates read of secrets, by their names, never a value. Where one is that nobody has told is not there, nor is what no sync has told. */
export const secretsState = (secrets: readonly KnownSecret[]): JsonObject =>
  Object.fromEntries(
    secrets.map(({ name, place, synced }) => [
      name,
      { name, ...place, ...(synced ?? { length: 0, exists: false }) },
    ]),
  );
