import {
  createActionRunRoute,
  createAdhocRunRoute,
  getInstallActionRunRoute,
  listActionRunsRoute,
  listInstallActionsRoute,
  type ShownAction,
  type ShownActionRun,
} from "../../shared/api/actions.ts";
import { listActionsRoute } from "../../shared/api/app-actions.ts";
import { getActionOutputsRoute } from "../../shared/api/install-actions.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { findApp } from "../apps/find-app.ts";
import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { findInstall, installArgs } from "../installs/find-install.ts";
import { readValues } from "../installs/read-values.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { fetchRecords } from "../logs/fetch-records.ts";
import { logDetails, logFlags, logQuery, streamParams } from "../logs/log-flags.ts";
import { printRecords } from "../logs/print-records.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import { followWorkflow } from "../workflows/follow-workflow.ts";

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

const runAction = defineCommand({
  name: "action run",
  summary: "Run an action in an install, and follow it.",
  details:
    "Without an action, --command is run there. An action that wants an approval waits for it; another terminal can give it: svc workflow approve.",
  codes: [["1", "the run did not succeed"]],
  args: {
    ...installArgs,
    action: { summary: "The action's name.", isOptional: true },
  },
  flags: {
    env: {
      value: "NAME=VALUE",
      isRepeatable: true,
      summary: "A variable of this run; repeatable. NAME=@FILE reads a secret from a file.",
    },
    command: { value: "COMMAND", summary: "Run this instead of an action." },
    "no-wait": { summary: "Do not follow it." },
  },
  examples: [
    { does: "Run an action of the example.", run: "svc action run acme greet" },
    { does: "Run a command.", run: "svc action run acme --command 'uname -a'" },
  ],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    if ((args.action === undefined) === (flags.command === undefined))
      throw new UsageError("Give either an action or --command.");
    const { id } = (await findInstall(call, args.install)).body;
    const params = { install_id: id };
    const env = await readValues("--env", flags.env);
    const { body, text } =
      flags.command === undefined
        ? await call(createActionRunRoute, {
            params,
            body: { name: args.action ?? "", run_env_vars: env },
          })
        : await call(createAdhocRunRoute, {
            params,
            body: { command: flags.command, env_vars: env },
          });
    const isJson = screen.format === "json" || screen.format === "ndjson";
    screen.out(isJson ? text : body.id);
    if (flags["no-wait"]) {
      screen.say(`Watch it: svc workflow watch ${body.workflow_id}`);
      return exitCodes.ok.code;
    }
    return await followWorkflow(context, body.workflow_id);
  },
});

const listRuns = defineList({
  name: "action runs",
  summary: "List runs of actions in an install, newest first.",
  args: installArgs,
  flags: { action: { value: "NAME", summary: "Only this action's." } },
  examples: [{ does: "List the runs of an action.", run: "svc action runs acme --action greet" }],
  view: runLine,
  empty: "No runs found. Begin one: svc action run INSTALL ACTION",
  read: async ({ args, flags, call, page }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const query = { name: flags.action, ...pagesOfListing(page) };
    return pageOfListing(await call(listActionRunsRoute, { params: { install_id: id }, query }));
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
  summary: "Show what an action gave last in an install, as JSON.",
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

const showRunLog = defineCommand({
  name: "action logs",
  summary: "Show the log of a run of an action so far.",
  details: logDetails,
  args: { ...installArgs, run: { summary: "The run's id." } },
  flags: logFlags,
  examples: [{ does: "Show a run's log.", run: "svc action logs acme awr_…" }],
  run: async ({ args, flags, call, connect, screen }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const params = { install_id: id, run_id: args.run };
    const { body } = await call(getInstallActionRunRoute, { params });
    if (body.runner_job_id === null) {
      screen.say(`This run has no job yet: it is ${body.status}.`);
      return;
    }
    const asked = { params: streamParams(body.runner_job_id), query: logQuery(flags) };
    const count = await printRecords(screen, flags, fetchRecords(await connect(), asked, screen));
    if (count === 0) screen.say("No log records found.");
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
