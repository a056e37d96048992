import type { ChangeCounts } from "../../workflows/machine/deploy-rows.ts";

/** What a planning job has found, as far as decisions need it. */
export type Planned = {
  /** Nothing would change: neither objects nor outputs. */
  readonly isNoOp: boolean;
  /** What somebody changed besides, as far as the tool tells it. */
  readonly hasDrift: boolean;
  readonly counts: ChangeCounts;
  /** Of all that is approved but the logins: the job's plan and what it found. */
  readonly digest: string;
  /** Why it cannot be applied, in words; undefined where it can. */
  readonly obstacle: string | undefined;
  /** What people see of it, as JSON of a `PlanView`; nothing sensitive is in it. */
  readonly view: string;
};
