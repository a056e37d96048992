import type { lifecyclePhases } from "../../../shared/api/install.ts";
import type { PlannedGroup } from "../machine/step-kind.ts";
import type { CompositeFault, Workflow } from "../machine/workflow-rows.ts";
import type { Making } from "./making.ts";

type Phase = (typeof lifecyclePhases)[number];

/** What a type of workflows does to its install: a row of a table, to which later types are added. */
export type WorkflowType = {
  /** In which lane it waits for others. */
  readonly lane: "changes" | "plans" | "actions";
  /** Of which config it is made: the app's active one, the one that it names, or the one that the install has. */
  readonly config: "active" | "named" | "applied";
  /** The install's phase while it runs, and after it ended well or not. */
  readonly phase?: { readonly running: Phase; readonly success: Phase; readonly failure: Phase };
  /** It deploys something, or tears it down. */
  readonly deploys?: true;
  readonly words: (workflow: Pick<Workflow, "metadata">) => string;
  /** Why it can no more be done, as it is when its turn comes. */
  readonly refusal?: (making: Making) => CompositeFault | undefined;
  /** Its groups of steps. Those without steps are left out. */
  readonly groups: (making: Making) => readonly PlannedGroup[];
};
