import { z } from "zod";
import type { SyncedSecret } from "../installs/state-base.ts";

const told = z.object({
  kubernetes_namespace: z.string().max(253).default(""),
  kubernetes_name: z.string().max(253).default(""),
  kubernetes_key: z.string().max(253).default(""),
  length: z.int().min(0),
  exists: z.boolean(),
  timestamp: z.iso.datetime(),
});

/** What a sync told of these secrets, by their names: what it did not tell of, or in other words, is left out. */
export function syncedSecrets(
  outputs: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, SyncedSecret>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const { data } = told.safeParse(Object.hasOwn(outputs, name) ? outputs[name] : undefined);
      return data === undefined ? [] : [[name, data] as const];
    }),
  );
}
