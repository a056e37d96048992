import {
  getRunnerGroupSettingsRoute,
  updateRunnerGroupSettingsRoute,
} from "../../shared/api/runner-settings.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { readInput } from "../connection/connection.ts";
import { requireObject } from "../flags/json-object.ts";
import { readWhole } from "../flags/read-flags.ts";
import { printItem } from "../output/print.ts";
import { groupArgs } from "./group-commands.ts";
import { settingsView } from "./group-view.ts";
import { settingsChanges } from "./settings-changes.ts";

const showSettings = defineCommand({
  name: "group settings",
  summary: "Show the settings that all runners of a group use.",
  args: groupArgs,
  examples: [
    { does: "Show the settings and their version.", run: "svc group settings rgr_…" },
    { does: "Keep them in a file.", run: "svc group settings rgr_… -o json > settings.json" },
  ],
  run: async ({ args, call, screen }) => {
    const params = { runner_group_id: args.group };
    const answer = await call(getRunnerGroupSettingsRoute, { params });
    printItem(screen, answer, settingsView(answer.body));
  },
});

const changeSettings = defineCommand({
  name: "group set",
  summary: "Change settings of a group. All its runners are notified at once.",
  details:
    "They are changed only if no one else has changed them since they were read, or, with --if-version, since that version; otherwise nothing is changed and the exit code is 5. NAME.KEY=VALUE changes one entry of a map, a list is separated by commas.",
  args: {
    ...groupArgs,
    change: { summary: "NAME=VALUE or NAME.KEY=VALUE.", isRepeatable: true, isOptional: true },
  },
  flags: {
    input: {
      value: "FILE",
      summary: "Changes as a JSON object, from a file or standard input (-).",
    },
    "if-version": {
      value: "N",
      summary: "Only if the settings are of this version (default: the one just read).",
    },
  },
  examples: [
    {
      does: "Run three deploys at once, and log more.",
      run: "svc group set rgr_… job_group_parallelism.deploy=3 logging_level=DEBUG",
    },
    {
      does: "Switch the version that its agents run.",
      run: "svc group set rgr_… binary_version=1.5.0 --if-version 7",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    if (args.change.length === 0 && flags.input === undefined)
      throw new UsageError("Nothing to change: give NAME=VALUE, or --input FILE.");
    const version = readWhole("--if-version", flags["if-version"]);
    const file = flags.input === undefined ? {} : await readChanges(flags.input);
    const params = { runner_group_id: args.group };
    const { body: settings } = await call(getRunnerGroupSettingsRoute, { params });
    const body = { ...file, ...settingsChanges(settings, args.change) };
    const answer = await call(updateRunnerGroupSettingsRoute, {
      params,
      body,
      headers: { "if-match": `"${version ?? settings.version}"` },
    });
    printItem(screen, answer, settingsView(answer.body));
  },
});

async function readChanges(file: string): Promise<Record<string, unknown>> {
  const text = requireObject(await readInput(file), `The changes in ${file}`);
  return JSON.parse(text) as Record<string, unknown>; // it is an object
}

/** The commands of groups' settings. */
export const settingsCommands: readonly Command[] = [showSettings, changeSettings];
