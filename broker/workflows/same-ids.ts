import { newId } from "../database/new-id.ts";
import type { NewId } from "./machine/workflow-draft.ts";

/** Ids for one move: each call of it gives the same ones again, in their order, for none was written yet. */
export function makeSameIds(): () => NewId {
  const given = new Map<string, string[]>();
  return () => {
    const counts = new Map<string, number>();
    return (prefix) => {
      const ids = given.get(prefix) ?? [];
      given.set(prefix, ids);
      const at = counts.get(prefix) ?? 0;
      counts.set(prefix, at + 1);
      return (ids[at] ??= newId(prefix));
    };
  };
}
