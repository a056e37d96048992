import type { Command } from "../command.ts";
import { searchLog } from "./search-log.ts";
import { showLog } from "./show-log.ts";
import { tailLog } from "./tail-log.ts";

/** The commands of logs, in the order of help. */
export const logCommands: readonly Command[] = [tailLog, showLog, searchLog];
