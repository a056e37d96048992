import type { Command } from "../command.ts";
import { showWebhookStats, showWorkflowStats } from "./show-activity.ts";
import { showJobStats, showStats } from "./show-stats.ts";

/** The commands of stats, in the order of help. */
export const statsCommands: readonly Command[] = [
  showStats,
  showJobStats,
  showWorkflowStats,
  showWebhookStats,
];
