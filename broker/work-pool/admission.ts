import type { Problem } from "../../shared/problem.ts";

/** How many pieces of work may run and wait together; what is not said is not bounded. */
export type MostWork = {
  /** Of one org and one kind, of one org, and of all. */
  readonly ofKind?: number;
  readonly ofOrg?: number;
  readonly ofAll?: number;
};

/** Counts one more until the returned function is called; refuses where there are as many as may be. */
export type Admission = (orgId: string, kind: string) => () => void;

/** An admission with nobody in it. */
export function makeAdmission(most: MostWork, refusal: () => Problem): Admission {
  const { ofKind = Infinity, ofOrg = Infinity, ofAll = Infinity } = most;
  const counts = new Map<string, number>(); // as many entries as there are orgs with work now
  const count = (key: string, by: number): void => {
    const now = (counts.get(key) ?? 0) + by;
    if (now === 0) counts.delete(key);
    else counts.set(key, now);
  };
  return (orgId, kind) => {
    const bounds = [
      ["", ofAll],
      [orgId, ofOrg],
      [`${orgId} ${kind}`, ofKind],
    ] as const;
    if (bounds.some(([key, bound]) => (counts.get(key) ?? 0) >= bound)) throw refusal();
    for (const [key] of bounds) count(key, 1);
    return () => {
      for (const [key] of bounds) count(key, -1);
    };
  };
}
