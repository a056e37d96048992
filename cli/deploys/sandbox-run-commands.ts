import {
  deprovisionSandboxRoute,
  reprovisionSandboxRoute,
} from "../../shared/api/deploy-components.ts";
import { getSandboxRunRoute, listSandboxRunsRoute } from "../../shared/api/install-components.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { deployStatuses } from "../../shared/deploy-statuses.ts";
import { runCodes } from "../actions/follow-run.ts";
import { type Command, defineCommand } from "../command.ts";
import { findInstall, installArgs as args } from "../installs/find-install.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { printItem } from "../output/print.ts";
import { runDetails, runLine } from "./deploy-view.ts";
import { followDeploy, followDetails, followFlags } from "./follow-deploy.ts";

const follows = { codes: runCodes, ownsInterrupt: true, outlivesReader: true } as const;

const listRuns = defineList({
  name: "sandbox runs",
  summary: "List the runs of an install's sandbox, newest first.",
  args,
  flags: {
    status: { value: "STATUS", choices: deployStatuses, summary: "Only those of this status." },
  },
  examples: [{ does: "See what was done to it.", run: "svc sandbox runs acme" }],
  view: runLine,
  empty: "No runs found.",
  read: async ({ args, flags: { status }, call, page }) => {
    const params = { install_id: (await findInstall(call, args.install)).body.id };
    const query = { status, ...pagesOfListing(page) };
    return pageOfListing(await call(listSandboxRunsRoute, { params, query }));
  },
});

const getRun = defineCommand({
  name: "sandbox get",
  summary: "Show a run of an install's sandbox: what it changes, its jobs, and why it failed.",
  args: { ...args, run: { summary: "The run's id." } },
  examples: [{ does: "Show a run.", run: "svc sandbox get acme sbr_…" }],
  run: async ({ args, call, screen }) => {
    const install_id = (await findInstall(call, args.install)).body.id;
    const params = { install_id, sandbox_run_id: args.run };
    printItem(screen, await call(getSandboxRunRoute, { params }), runDetails);
  },
});

const reprovision = defineCommand({
  name: "sandbox reprovision",
  summary: "Provision the sandbox of an install again, and follow it.",
  details: followDetails,
  ...follows,
  args,
  flags: {
    "skip-components": { summary: "Do not deploy its components after it." },
    ...followFlags,
  },
  examples: [{ does: "Provision it again.", run: "svc sandbox reprovision acme" }],
  run: async (context) => {
    const { args, flags, call } = context;
    const { id: install_id } = (await findInstall(call, args.install)).body;
    const body = { ...howOf(flags), skip_components: flags["skip-components"] };
    const begun = await call(reprovisionSandboxRoute, { params: { install_id }, body });
    const { workflow_id: id } = begun.body;
    const isWaiting = !flags["no-wait"];
    return await followDeploy(context, { id, text: begun.text, workflowId: id, isWaiting });
  },
});

const deprovision = defineCommand({
  name: "sandbox deprovision",
  summary: "Deprovision the sandbox of an install, and follow it.",
  details: followDetails,
  ...follows,
  args,
  flags: { yes: { summary: "Required: this cannot be undone." }, ...followFlags },
  examples: [{ does: "Deprovision it.", run: "svc sandbox deprovision acme --yes" }],
  run: async (context) => {
    const { args, flags, call } = context;
    if (!flags.yes && !flags["plan-only"])
      throw new UsageError("Deprovisioning a sandbox cannot be undone. To confirm, add --yes.");
    const { id: install_id } = (await findInstall(call, args.install)).body;
    const asked = { params: { install_id }, body: howOf(flags) };
    const begun = await call(deprovisionSandboxRoute, asked);
    const { workflow_id: id } = begun.body;
    const isWaiting = !flags["no-wait"];
    return await followDeploy(context, { id, text: begun.text, workflowId: id, isWaiting });
  },
});

const howOf = (flags: { readonly role: string | undefined; readonly "plan-only": boolean }) => ({
  ...(flags.role !== undefined && { role: flags.role }),
  plan_only: flags["plan-only"],
});

/** The commands of the sandboxes of installs, in the order of help. */
export const sandboxRunCommands: readonly Command[] = [listRuns, getRun, reprovision, deprovision];
