import { createInstallRoute } from "../../shared/api/installs.ts";
import { getRunnerRoute } from "../../shared/api/runners.ts";
import { wasThere } from "../../shared/api/was-there.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { findApp } from "../apps/find-app.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { waitFlag, waits, watchOrFollow } from "../deploys/follow-deploy.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { readPairs } from "../flags/read-pairs.ts";
import { printItem } from "../output/print.ts";
import { installDetails } from "./install-view.ts";
import { readValues } from "./read-values.ts";

export const createInstall = defineCommand({
  name: "install create",
  summary: "Create an install of an app, and provision it.",
  details:
    "It gets its own runner, whose agent has to be started in the customer's account: the command for that is printed. With --runner it takes an existing runner instead.",
  ...waits,
  args: { name: { summary: "The install's name, unique in the app." } },
  flags: {
    app: { value: "APP", offers: "apps", isRequired: true, summary: "The app's name or id." },
    input: {
      value: "NAME=VALUE",
      isRepeatable: true,
      summary: "An input. NAME=@FILE reads a secret from a file.",
    },
    label: { value: "KEY=VALUE", isRepeatable: true, summary: "A label." },
    "label-template": {
      value: "KEY=TEMPLATE",
      isRepeatable: true,
      summary: "A label that is rendered with the install's state.",
    },
    metadata: {
      value: "KEY=VALUE",
      isRepeatable: true,
      summary: "Your own metadata, such as managed_by=terraform.",
    },
    runner: {
      value: "RUNNER",
      offers: "runners",
      summary: "An existing runner that is alone in its group: it becomes the install's runner.",
    },
    "aws-region": { value: "REGION", summary: "It is in an AWS account, in this region." },
    "approve-all": { summary: "No approvals are asked for." },
    "no-start": { summary: "Do not provision it yet." },
    ...waitFlag,
  },
  examples: [
    {
      does: "Create an install of the example.",
      run: "svc install create acme --app greeter --input audience=world",
    },
  ],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    if (flags["no-start"] && flags.wait) throw new UsageError("Give one of --no-start and --wait.");
    const { body: app } = await findApp(call, flags.app);
    const made = await call(createInstallRoute, {
      params: { app_id: app.id },
      body: {
        name: args.name,
        inputs: await readValues("--input", flags.input),
        labels: readPairs("--label", flags.label),
        label_templates: readPairs("--label-template", flags["label-template"]),
        metadata: readPairs("--metadata", flags.metadata),
        runner_group_id: await groupOf(call, flags.runner),
        ...(flags["aws-region"] !== undefined && { aws_account: { region: flags["aws-region"] } }),
        ...(flags["approve-all"] && {
          install_config: { approval_option: "approve-all" as const },
        }),
        start: !flags["no-start"],
      },
    });
    printItem(screen, made, installDetails);
    if (wasThere(made)) screen.say("It was there already.");
    const { workflow_id: workflow, runner_status: status } = made.body;
    if (status !== "active")
      screen.say(`\nStart its agent in the customer's account: svc install enrol ${made.body.id}`);
    if (workflow === undefined) return exitCodes.ok.code;
    return await watchOrFollow(context, workflow, flags.wait);
  },
});

async function groupOf(
  call: CommandCall["call"],
  runner_id: string | undefined,
): Promise<string | undefined> {
  if (runner_id === undefined) return undefined;
  return (await call(getRunnerRoute, { params: { runner_id } })).body.runner_group_id;
}
