import type { WholeWorkflow } from "../../../shared/api/workflow.ts";

/** What became of a workflow's steps that deploy something, and why where it failed. */
export const stepsOf = ({ steps }: WholeWorkflow): string[] =>
  steps
    .filter(({ name }) => !/^(?:generate|runner|provision runner)/.test(name))
    .map(
      ({ name, status: { status, status_human_description: words } }) =>
        `${name}: ${status}${/^(?:error|failed)/.test(status) ? ` (${words})` : ""}`,
    );
