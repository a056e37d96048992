import type { ConfigReads } from "../../../shared/app-config/config-reads.ts";
import type { DeployFacts } from "../../deploys/deploy-facts.ts";
import type { InstallFacts } from "../../installs/install-facts.ts";
import type { Workflow } from "../machine/workflow-rows.ts";

/** What groups are made of. */
export type Making = {
  readonly facts: InstallFacts;
  readonly workflow: Workflow;
  /** What the install has deployed; nothing of workflows that deploy nothing. */
  readonly deploys: DeployFacts | undefined;
  /** In which order what the workflow's config has is deployed. */
  readonly reads: () => ConfigReads;
  /** The same of another config. */
  readonly readsOf: (configId: string) => ConfigReads;
  readonly newId: (prefix: "awr" | "dep" | "sbr") => string;
};

/** A run of an action that a group is made for. */
export type OrderedRun = {
  readonly name: string;
  readonly trigger: string;
  readonly runId: string;
  readonly wantsApproval: boolean;
};
