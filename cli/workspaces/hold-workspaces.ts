import { hostname, userInfo } from "node:os";
import {
  lockTerraformWorkspaceRoute,
  unlockTerraformWorkspaceRoute,
} from "../../shared/api/terraform-state.ts";
import {
  blockWorkspaceRoute,
  forceUnlockRoute,
  getWorkspaceRoute,
  rollBackWorkspaceRoute,
  unblockWorkspaceRoute,
  type Workspace,
} from "../../shared/api/terraform-workspaces.ts";
import { getOwnTokenRoute } from "../../shared/api/tokens.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Caller, defineCommand } from "../command.ts";
import { readWhole } from "../flags/read-flags.ts";
import { printItem } from "../output/print.ts";
import { workspaceDetails } from "./workspace-view.ts";

const heldByHand = "held by hand";

const args = { workspace: { summary: "The workspace's id.", offers: "workspaces" } } as const;
const reason = {
  value: "TEXT",
  isRequired: true,
  summary: "The reason; it is recorded.",
} as const;

type Lock = NonNullable<Workspace["lock"]>;

export const lockWorkspace = defineCommand({
  name: "workspace lock",
  summary: "Lock a workspace, so that no terraform run changes it.",
  args,
  flags: { reason },
  examples: [
    {
      does: "Lock a workspace during an inspection.",
      run: 'svc workspace lock tfw_… --reason "moving it"',
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { workspace_id: args.workspace };
    const body = {
      ID: crypto.randomUUID(),
      Operation: heldByHand,
      Info: flags.reason,
      Who: `${userInfo().username}@${hostname()}`,
    };
    await call(lockTerraformWorkspaceRoute, { params, body });
    printItem(screen, await call(getWorkspaceRoute, { params }), workspaceDetails);
    screen.say(`Undo it: svc workspace unlock ${args.workspace}`);
  },
});

export const unlockWorkspace = defineCommand({
  name: "workspace unlock",
  summary: "Unlock a workspace that you locked, or with --force one that someone else locked.",
  details:
    "Before you use --force, make sure that nothing is writing to it: a job that has been cancelled may still be saving its state. The broker " +
    "keeps the lock of a job that runs or is still stopping: cancel the job, and wait until it has stopped.",
  args,
  flags: {
    force: { summary: "Remove the lock of a job or of someone else. Requires --reason." },
    "even-if-running": {
      summary:
        "With --force: even if its job is running or still stopping. The state could be damaged.",
    },
    reason: { value: "TEXT", summary: "The reason; it is recorded." },
  },
  examples: [
    { does: "Release your own lock.", run: "svc workspace unlock tfw_…" },
    {
      does: "Release the lock of a host that is gone.",
      run: 'svc workspace unlock tfw_… --force --reason "host is gone"',
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { workspace_id: args.workspace };
    if (flags.force) {
      if (flags.reason === undefined) throw new UsageError("The flag --reason is required.");
      const body = { reason: flags.reason, force: flags["even-if-running"] };
      printItem(screen, await call(forceUnlockRoute, { params, body }), workspaceDetails);
      return;
    }
    const { lock } = (await call(getWorkspaceRoute, { params })).body;
    if (lock !== null) {
      await requireOwn(call, lock);
      const body = { ID: lock.lock.id };
      await call(unlockTerraformWorkspaceRoute, { params, query: {}, body });
    }
    printItem(screen, await call(getWorkspaceRoute, { params }), workspaceDetails);
  },
});

/** What a terraform holds is nobody's to give up while it may be writing, be it under the same account. */
async function requireOwn(call: Caller, { lock, created_by_id: by }: Lock): Promise<void> {
  const { id, reach, account_id: account } = (await call(getOwnTokenRoute, {})).body;
  const own = reach === "account" ? account : id;
  if (lock.operation === heldByHand && by === own) return;
  const holder = [lock.who || by, lock.operation].filter(Boolean).join(", ");
  throw new UsageError(
    `${holder} holds it and may still be writing: look, then add --force and --reason.`,
  );
}

export const blockWorkspace = defineCommand({
  name: "workspace block",
  summary: "Refuse all locks of a workspace until it is unblocked.",
  details: "Whoever holds the lock may still save and unlock.",
  args,
  flags: { reason },
  examples: [
    {
      does: "Block a workspace after its apply was killed.",
      run: 'svc workspace block tfw_… --reason "apply was killed"',
    },
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
  summary: "Allow locks of a workspace again.",
  details:
    "The lock of the job that the block is about ends with it, if that job is over and has stopped. A retry of its deploy waits for this.",
  args,
  flags: { reason },
  examples: [
    {
      does: "Remove a block after an inspection.",
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
  details:
    "Only the state is rolled back, not the resources it describes. Check svc workspace diff first.",
  args,
  flags: {
    revision: {
      value: "REVISION",
      isRequired: true,
      summary: "The revision; see svc workspace history.",
    },
    reason,
    yes: { summary: "Required: the next terraform run uses this state." },
  },
  examples: [
    {
      does: "Return to revision 3.",
      run: 'svc workspace rollback tfw_… --revision 3 --reason "4 was wrong" --yes',
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const revision = readWhole("--revision", flags.revision) ?? 0;
    if (!flags.yes) {
      throw new UsageError(
        "Only the state is rolled back, not the resources it describes. To confirm, add --yes.",
      );
    }
    const params = { workspace_id: args.workspace };
    const body = { revision, reason: flags.reason };
    printItem(screen, await call(rollBackWorkspaceRoute, { params, body }), workspaceDetails);
  },
});
