import {
  deleteRunnerGroupRoute,
  getRunnerGroupRoute,
  listRunnerGroupsRoute,
  pauseRunnerGroupRoute,
  resumeRunnerGroupRoute,
  updateRunnerGroupRoute,
} from "../../shared/api/runner-groups.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runnerGroupTypes, runnerPlatforms } from "../../shared/runner-platforms.ts";
import { type Command, defineCommand } from "../command.ts";
import { definePauses } from "../define-pauses.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem } from "../output/print.ts";
import { groupDetails, groupLine } from "./group-view.ts";

/** The argument of every command of one group. */
export const groupArgs = {
  group: { summary: "The runner group's id.", offers: "groups" },
} as const;

const listGroups = defineList({
  name: "group list",
  summary: "List runner groups, newest first.",
  flags: {
    "owner-id": { value: "ID", summary: "Only this owner's." },
    type: { value: "TYPE", choices: runnerGroupTypes, summary: "Only groups of this type." },
  },
  examples: [{ does: "List the groups of an install.", run: "svc group list --owner-id ins_1" }],
  view: groupLine,
  empty: "No groups found. A runner gets one of its own: svc runner create",
  read: async ({ flags, call, page }) => {
    const { "owner-id": owner_id, type } = flags;
    return await call(listRunnerGroupsRoute, { query: { owner_id, type, ...page } });
  },
});

const getGroup = defineCommand({
  name: "group get",
  summary: "Show a runner group and its runners.",
  args: groupArgs,
  examples: [{ does: "Show a group.", run: "svc group get rgr_…" }],
  run: async ({ args, call, screen }) => {
    const params = { runner_group_id: args.group };
    printItem(screen, await call(getRunnerGroupRoute, { params }), groupDetails);
  },
});

const updateGroup = defineCommand({
  name: "group update",
  summary: "Change a runner group's name, platform or owner.",
  args: groupArgs,
  flags: {
    name: { value: "NAME", summary: "A new name." },
    platform: { value: "PLATFORM", choices: runnerPlatforms, summary: "Where it runs." },
    "owner-id": { value: "ID", summary: "The owner's id in your own system." },
    "owner-type": { value: "TYPE", summary: "The type of the owner, in your own words." },
  },
  examples: [{ does: "Rename a group.", run: "svc group update rgr_… --name production" }],
  run: async ({ args, flags, call, screen }) => {
    const { name, platform, "owner-id": owner_id, "owner-type": owner_type } = flags;
    const body = {
      ...(name !== undefined && { name }),
      ...(platform !== undefined && { platform }),
      ...(owner_id !== undefined && { owner_id }),
      ...(owner_type !== undefined && { owner_type }),
    };
    if (Object.keys(body).length === 0)
      throw new UsageError("Nothing to change: give a flag like --name.");
    const params = { runner_group_id: args.group };
    printItem(screen, await call(updateRunnerGroupRoute, { params, body }), groupDetails);
  },
});

const { pause: pauseGroup, resume: resumeGroup } = definePauses({
  noun: "group",
  argument: groupArgs.group,
  view: groupDetails,
  pause: {
    summary: "Pause all runners of a group: they get no jobs; running jobs continue.",
    example: { does: "Pause for an hour.", run: 'svc group pause rgr_… --until 1h --note "move"' },
    send: (call, id, body) =>
      call(pauseRunnerGroupRoute, { params: { runner_group_id: id }, body }),
  },
  resume: {
    summary: "Resume a paused group. A runner that was paused itself stays paused.",
    example: { does: "Resume the group.", run: "svc group resume rgr_…" },
    send: (call, id, body) =>
      call(resumeRunnerGroupRoute, { params: { runner_group_id: id }, body }),
  },
});

const deleteGroup = defineCommand({
  name: "group delete",
  summary: "Delete a group that has no runners.",
  args: groupArgs,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete without confirmation.", run: "svc group delete rgr_… --yes" }],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting a group cannot be undone. To confirm, add --yes.");
    await call(deleteRunnerGroupRoute, { params: { runner_group_id: args.group } });
    screen.say(`${args.group} is deleted.`);
  },
});

/** The commands of runner groups. */
export const groupCommands: readonly Command[] = [
  listGroups,
  getGroup,
  updateGroup,
  pauseGroup,
  resumeGroup,
  deleteGroup,
];
