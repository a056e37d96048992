import {
  discardRescuedStateRoute,
  getRescuedStateContentsRoute,
  listRescuedStatesRoute,
  pushRescuedStateRoute,
  type RescuedState,
} from "../../shared/api/rescued-states.ts";
import { defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { formatAge } from "../output/format-age.ts";
import { printItem, type View } from "../output/print.ts";
import { sizeText, workspaceDetails } from "./workspace-view.ts";

const args = {
  workspace: { summary: "The workspace's id.", offers: "workspaces" },
  state: { summary: "The rescued state's id; see svc workspace rescued." },
} as const;
const reason = {
  value: "TEXT",
  isRequired: true,
  summary: "The reason; it is recorded.",
} as const;

const rescuedLine: View<RescuedState> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    SERIAL: ({ serial }) => String(serial),
    LINEAGE: ({ lineage }) => lineage ?? "",
    SIZE: ({ size_bytes: bytes }) => sizeText(bytes),
    JOB: ({ runner_job_id: job }) => job ?? "",
    RESCUED: ({ created_at: at }) => formatAge(at),
  },
};

export const listRescued = defineList({
  name: "workspace rescued",
  summary: "List the states that terraform could not save to a workspace, newest first.",
  isWhole: true,
  args: { workspace: args.workspace },
  examples: [{ does: "List rescued states.", run: "svc workspace rescued tfw_…" }],
  view: rescuedLine,
  empty: "No rescued states.",
  read: async ({ args, call, screen, isWatched }) => {
    const { text, body } = await call(listRescuedStatesRoute, {
      params: { workspace_id: args.workspace },
    });
    if (body.length > 0 && screen.format === "table" && !isWatched) {
      screen.say(`Push one: svc workspace push-rescued ${args.workspace} STATE --reason …`);
    }
    return { text, body: { items: body, next_cursor: null } };
  },
});

export const readRescued = defineCommand({
  name: "workspace read-rescued",
  summary: "Print a rescued state unchanged. It contains secrets.",
  args,
  examples: [
    {
      does: "Save a rescued state to a file.",
      run: "svc workspace read-rescued tfw_… tfs_… > errored.tfstate",
    },
  ],
  run: async ({ args, call, screen }) => {
    const params = { workspace_id: args.workspace, rescued_id: args.state };
    screen.asIs.out((await call(getRescuedStateContentsRoute, { params })).text);
  },
});

export const pushRescued = defineCommand({
  name: "workspace push-rescued",
  summary: "Make a rescued state the current one, and remove the block that its loss caused.",
  details:
    "Only a state with the same lineage and a higher serial. Fails while the workspace is locked.",
  args,
  flags: { reason },
  examples: [
    {
      does: "Restore the result of an apply.",
      run: 'svc workspace push-rescued tfw_… tfs_… --reason "the apply was complete"',
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { workspace_id: args.workspace, rescued_id: args.state };
    const body = { reason: flags.reason };
    printItem(screen, await call(pushRescuedStateRoute, { params, body }), workspaceDetails);
  },
});

export const discardRescued = defineCommand({
  name: "workspace discard-rescued",
  summary: "Discard a rescued state. A block of the workspace stays.",
  args,
  flags: { reason },
  examples: [
    {
      does: "Discard a state that is outdated.",
      run: 'svc workspace discard-rescued tfw_… tfs_… --reason "the next apply fixed it"',
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { workspace_id: args.workspace, rescued_id: args.state };
    await call(discardRescuedStateRoute, { params, query: { reason: flags.reason } });
    screen.say(`${args.state} is gone.`);
  },
});
