import { lockTerraformWorkspaceRoute } from "../../shared/api/terraform-state.ts";
import {
  blockWorkspaceRoute,
  forceUnlockRoute,
  getWorkspaceRoute,
  rollBackWorkspaceRoute,
  unblockWorkspaceRoute,
} from "../../shared/api/terraform-workspaces.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../print.ts";
import { readWhole } from "../read-flags.ts";
import { UsageError } from "../usage-error.ts";
import { workspaceDetails } from "./workspace-view.ts";

const args = { workspace: { summary: "The workspace's id." } } as const;
const reason = { value: "TEXT", isRequired: true, summary: "Why; it is kept." } as const;

export const lockWorkspace = defineCommand({
  name: "workspace lock",
  summary: "Hold a workspace, so that no terraform changes it.",
  args,
  flags: { reason },
  examples: [{ does: "while you look", run: 'svc workspace lock tfw_… --reason "moving it"' }],
  run: async ({ args, flags, call, screen }) => {
    const params = { workspace_id: args.workspace };
    const body = {
      ID: crypto.randomUUID(),
      Operation: "held by hand",
      Info: flags.reason,
      Who: "svc workspace lock",
    };
    await call(lockTerraformWorkspaceRoute, { params, body });
    printItem(screen, await call(getWorkspaceRoute, { params }), workspaceDetails);
    screen.say(`Undo it: svc workspace unlock ${args.workspace} --reason … --yes`);
  },
});

export const unlockWorkspace = defineCommand({
  name: "workspace unlock",
  summary: "Take a workspace's lock away from whoever holds it.",
  details:
    "Make sure first that nothing is writing any more: a job that was ended may still be saving its state.",
  args,
  flags: { reason, yes: { summary: "Needed: two terraforms at once break a state." } },
  examples: [
    { does: "its host is gone", run: 'svc workspace unlock tfw_… --reason "host is gone" --yes' },
  ],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes) {
      throw new UsageError("Whoever holds the lock may still be writing: look, then add --yes.");
    }
    const params = { workspace_id: args.workspace };
    const body = { reason: flags.reason };
    printItem(screen, await call(forceUnlockRoute, { params, body }), workspaceDetails);
  },
});

export const blockWorkspace = defineCommand({
  name: "workspace block",
  summary: "Refuse every lock of a workspace until it is unblocked.",
  details: "Whoever holds the lock may still save and unlock.",
  args,
  flags: { reason },
  examples: [
    { does: "its apply was killed", run: 'svc workspace block tfw_… --reason "apply was killed"' },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { workspace_id: args.workspace };
    const body = { reason: flags.reason };
    printItem(screen, await call(blockWorkspaceRoute, { params, body }), workspaceDetails);
    screen.say(`Undo it: svc workspace unblock ${args.workspace} --reason …`);
  },
});

export const unblockWorkspace = defineCommand({
  name: "workspace unblock",
  summary: "Let a workspace be locked again.",
  args,
  flags: { reason },
  examples: [
    {
      does: "it was looked into",
      run: 'svc workspace unblock tfw_… --reason "imported what was lost"',
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { workspace_id: args.workspace };
    const body = { reason: flags.reason };
    printItem(screen, await call(unblockWorkspaceRoute, { params, body }), workspaceDetails);
  },
});

export const rollBackWorkspace = defineCommand({
  name: "workspace rollback",
  summary: "Make an older revision the current state, as a new revision.",
  details: "Only the state goes back, not what it describes: look at svc workspace diff first.",
  args,
  flags: {
    revision: {
      value: "REVISION",
      isRequired: true,
      summary: "Which one; see svc workspace history.",
    },
    reason,
    yes: { summary: "Needed: the next terraform goes by this state." },
  },
  examples: [
    {
      does: "to revision 3",
      run: 'svc workspace rollback tfw_… --revision 3 --reason "4 was wrong" --yes',
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const revision = readWhole("--revision", flags.revision) ?? 0;
    if (!flags.yes) {
      throw new UsageError(
        "Only the state goes back, not what it describes: look, then add --yes.",
      );
    }
    const params = { workspace_id: args.workspace };
    const body = { revision, reason: flags.reason };
    printItem(screen, await call(rollBackWorkspaceRoute, { params, body }), workspaceDetails);
  },
});
