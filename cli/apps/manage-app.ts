import { type AppChanges } from "../../shared/api/app.ts";
import { createAppRoute, updateAppRoute } from "../../shared/api/apps.ts";
import { wasThere } from "../../shared/api/was-there.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { appDetails } from "./app-view.ts";
import { appArgs, findApp } from "./find-app.ts";

const words = {
  "display-name": { value: "TEXT", summary: "Its name for people." },
  description: { value: "TEXT", summary: "What it is for." },
} as const;

export const createApp = defineCommand({
  name: "app create",
  summary: "Create an app without a config.",
  details:
    "svc app sync creates the app that a config names. Use this command for what has to exist before that.",
  args: { name: { summary: "The app's name, unique in the org." } },
  flags: words,
  examples: [{ does: "Create an app.", run: 'svc app create shop --display-name "The shop"' }],
  run: async ({ args: { name }, flags, call, screen }) => {
    const body = {
      name,
      display_name: flags["display-name"] ?? "",
      description: flags.description ?? "",
    };
    const made = await call(createAppRoute, { body });
    printItem(screen, made, appDetails);
    if (wasThere(made)) screen.say("It was there already.");
    screen.say("Give it a config: svc app sync DIR");
  },
});

export const updateApp = defineCommand({
  name: "app update",
  summary: "Change an app's names, or where its config is.",
  details: "The next config sets again what its active config says about it.",
  args: appArgs,
  flags: {
    name: { value: "NAME", summary: "Its new name." },
    ...words,
    repo: { value: "REPO", summary: "The repository that has its config." },
    directory: { value: "DIR", summary: "The config's folder in the repository." },
  },
  examples: [{ does: "Describe an app.", run: 'svc app update shop --description "Sells"' }],
  run: async ({ args, flags, call, screen }) => {
    const body: AppChanges = {
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags["display-name"] !== undefined && { display_name: flags["display-name"] }),
      ...(flags.description !== undefined && { description: flags.description }),
      ...(flags.repo !== undefined && { config_repo: flags.repo }),
      ...(flags.directory !== undefined && { config_directory: flags.directory }),
    };
    if (Object.keys(body).length === 0)
      throw new UsageError("Nothing to change.", "See: svc app update --help");
    const params = { app_id: (await findApp(call, args.app)).body.id };
    printItem(screen, await call(updateAppRoute, { params, body }), appDetails);
  },
});
