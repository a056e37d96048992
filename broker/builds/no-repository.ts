import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";

/** The fault of a build whose config says of no place where its source is. */
export const noRepository = (what: string): CompositeFault =>
  faultOf(
    "repo_unsupported",
    "There is nothing to build from",
    `${what} names no repository. Give it a public_repo or a connected_repo, and sync the app again.`,
    { retryable: false },
  );
