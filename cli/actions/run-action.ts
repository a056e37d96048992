import { createActionRunRoute, createAdhocRunRoute } from "../../shared/api/actions.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { findInstall, installArgs } from "../installs/find-install.ts";
import { readValues } from "../installs/read-values.ts";
import { followRun, runCodes } from "./follow-run.ts";

export const runAction = defineCommand({
  name: "action run",
  summary: "Run an action in an install, and follow its log.",
  details:
    "Without an action, --command is run there. The log goes to standard output, messages to standard error; with --no-wait, or -o, the run's id is what goes to standard output. " +
    "The exit code is that of the script that failed, 0 where the run succeeded. An action that wants an approval waits for it; another terminal can give it: svc workflow approve. Ctrl-C stops following; the run continues.",
  codes: runCodes,
  ownsInterrupt: true,
  outlivesReader: true,
  args: {
    ...installArgs,
    action: { summary: "The action's name.", isOptional: true },
  },
  flags: {
    env: {
      value: "NAME=VALUE",
      isRepeatable: true,
      summary: "A variable of this run. NAME=@FILE reads a secret from a file.",
    },
    command: { value: "COMMAND", summary: "Run this instead of an action." },
    "kube-config": { summary: "The command gets a kubeconfig of the install's cluster." },
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
    if (flags["kube-config"] && flags.command === undefined)
      throw new UsageError("--kube-config is for --command: an action's config says what it gets.");
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
            body: {
              command: flags.command,
              env_vars: env,
              ...(flags["kube-config"] && { enable_kube_config: true }),
            },
          });
    const isJson = screen.format === "json" || screen.format === "ndjson";
    const isLog = screen.format === "table" && !flags["no-wait"]; // the log's alone, as of svc job run
    if (isLog) screen.say(`${body.id} has begun.`);
    else screen.out(isJson ? text : body.id);
    if (flags["no-wait"]) {
      screen.say(`Watch it: svc workflow watch ${body.workflow_id}`);
      return exitCodes.ok.code;
    }
    process.once("SIGINT", () => {
      screen.say(`The run continues. See it: svc workflow watch ${body.workflow_id}`);
      process.exit(exitCodes.interrupted.code);
    });
    const run = { workflowId: body.workflow_id, isLone: flags.command !== undefined };
    return await followRun(context, run);
  },
});
