import {
  getInstallActionRunRoute,
  actionRuns,
  listInstallActionsRoute,
  type ShownAction,
  type ShownActionRun,
} from "../../shared/api/actions.ts";
import { listActionsRoute } from "../../shared/api/app-actions.ts";
import { getActionOutputsRoute } from "../../shared/api/install-actions.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { findApp } from "../apps/find-app.ts";
import { type Command, defineCommand } from "../command.ts";
import { findInstall, installArgs } from "../installs/find-install.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import { runAction } from "./run-action.ts";
import { showRunLog } from "./show-run-log.ts";

const actionLine: View<ShownAction> = {
  nameOf: ({ name }) => name,
  columns: {
    NAME: ({ name }) => name,
    ID: ({ id }) => id,
    CONFIG: ({ config_id: id }) => id ?? "not in the active config",
    APPROVAL: ({ config }) => (config?.["approval"] === true ? "yes" : ""),
    TRIGGERS: ({ config }) => triggersOf(config),
  },
};

function triggersOf(config: ShownAction["config"]): string {
  const triggers = config?.["triggers"];
  if (!Array.isArray(triggers)) return "manual";
  return triggers.map((one: { readonly type?: string }) => one.type ?? "").join(", "); // as it was checked
}

const runLine: View<ShownActionRun> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    ACTION: ({ name }) => name,
    TRIGGER: ({ trigger_type: trigger }) => trigger,
    STATUS: ({ status }) => status,
    WORKFLOW: ({ workflow_id: id }) => id,
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

const listActions = defineList({
  name: "action list",
  summary: "List the actions of an app, or those that an install can run.",
  args: { install: { ...installArgs.install, isOptional: true } },
  flags: { app: { value: "APP", offers: "apps", summary: "Instead: those of this app." } },
  examples: [{ does: "List what an install can run.", run: "svc action list acme" }],
  view: actionLine,
  empty: "No actions found. Add one to the app's config: actions/NAME.toml",
  read: async ({ args, flags, call, page }) => {
    if ((flags.app === undefined) === (args.install === undefined))
      throw new UsageError("Give either an install or --app.");
    if (args.install !== undefined) {
      const { id } = (await findInstall(call, args.install)).body;
      return pageOfListing(await call(listInstallActionsRoute, { params: { install_id: id } }));
    }
    const { id } = (await findApp(call, flags.app ?? "")).body;
    const params = { app_id: id };
    return pageOfListing(await call(listActionsRoute, { params, query: pagesOfListing(page) }));
  },
});

const listRuns = defineList({
  name: "action runs",
  summary: "List runs of actions in an install, newest first.",
  args: installArgs,
  flags: { action: { value: "NAME", summary: "Only this action's." } },
  examples: [{ does: "List the runs of an action.", run: "svc action runs acme --action greet" }],
  view: runLine,
  empty: "No runs found. Start one: svc action run INSTALL ACTION",
  read: async ({ args, flags, call, page }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const query = { name: flags.action, ...pagesOfListing(page) };
    return pageOfListing(await call(actionRuns.list, { params: { install_id: id }, query }));
  },
});

const showRun = defineCommand({
  name: "action get",
  summary:
    "Show a run of an action: its steps, outputs, and why it failed. Its log: svc action logs.",
  args: { ...installArgs, run: { summary: "The run's id." } },
  examples: [{ does: "Show a run.", run: "svc action get acme awr_…" }],
  run: async ({ args, call, screen }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const params = { install_id: id, run_id: args.run };
    const { body, text } = await call(getInstallActionRunRoute, { params });
    if (screen.format === "json" || screen.format === "ndjson") {
      screen.out(text);
      return;
    }
    screen.out(
      `${body.name} (${body.trigger_type}): ${body.status} ${body.status_description}`.trim(),
    );
    for (const step of body.steps) screen.out(`  ${step.name}: ${step.status}`);
    for (const [name, value] of Object.entries(body.outputs))
      screen.out(`  output ${name} = ${JSON.stringify(value)}`);
    if (body.composite_error != null) screen.out(body.composite_error.detail); // null of older brokers
    if (body.runner_job_id !== null) screen.say(`Its log: svc log show ${body.runner_job_id}`);
  },
});

const showOutputs = defineCommand({
  name: "action outputs",
  summary: "Show the outputs of an action's last run in an install, as JSON.",
  args: { ...installArgs, action: { summary: "The action's name or id." } },
  examples: [{ does: "Show them.", run: "svc action outputs acme greet" }],
  run: async ({ args, call, screen }) => {
    const params = { install_id: (await findInstall(call, args.install)).body.id };
    const { body: actions } = await call(listInstallActionsRoute, { params });
    const action = actions.find(({ id, name }) => args.action === id || args.action === name);
    if (action === undefined)
      throw new UsageError(
        `${args.install} has no action ${args.action}.`,
        `List them: svc action list ${args.install}`,
      );
    const asked = { params: { ...params, action_id: action.id } };
    const { body } = await call(getActionOutputsRoute, asked);
    screen.out(JSON.stringify(body, null, screen.format === "ndjson" ? 0 : 2));
  },
});

/** The commands of actions, in the order of help. */
export const actionCommands: readonly Command[] = [
  listActions,
  runAction,
  listRuns,
  showRun,
  showOutputs,
  showRunLog,
];
