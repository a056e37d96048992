import type { Command } from "../command.ts";
import {
  blockWorkspace,
  lockWorkspace,
  rollBackWorkspace,
  unblockWorkspace,
  unlockWorkspace,
} from "./hold-workspaces.ts";
import { diffRevisions, listRevisions, listWorkspaces, showWorkspace } from "./read-workspaces.ts";
import { discardRescued, listRescued, pushRescued, readRescued } from "./rescued-states.ts";

/** The commands of workspaces, in the order of help. */
export const workspaceCommands: readonly Command[] = [
  listWorkspaces,
  showWorkspace,
  listRevisions,
  diffRevisions,
  rollBackWorkspace,
  lockWorkspace,
  unlockWorkspace,
  blockWorkspace,
  unblockWorkspace,
  listRescued,
  readRescued,
  pushRescued,
  discardRescued,
];
