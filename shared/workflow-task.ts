/**
 * What a broker does that advances workflows, as the database names it (`workflow_task` in migrations/functions/signals.sql). Its number goes
 * up with each version that has more types of workflows, kinds of steps or groups: an older broker that runs beside it then leaves them
 * to those that know them.
 */
export const workflowTask = "advance-workflow-5";

/** Its names before: what was to be done then. */
export const formerWorkflowTasks = [
  "advance-workflow",
  "advance-workflow-2",
  "advance-workflow-3",
  "advance-workflow-4",
] as const;
