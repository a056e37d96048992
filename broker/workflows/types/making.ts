import type { InstallFacts } from "../../installs/install-facts.ts";
import type { Workflow } from "../machine/workflow-rows.ts";

/** What groups are made of. */
export type Making = {
  readonly facts: InstallFacts;
  readonly workflow: Workflow;
  readonly newId: (prefix: "awr") => string;
};

/** A run of an action that a group is made for. */
export type OrderedRun = {
  readonly name: string;
  readonly trigger: string;
  readonly runId: string;
  readonly wantsApproval: boolean;
};
