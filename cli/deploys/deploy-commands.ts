import { createDeployOfComponentRoute } from "../../shared/api/deploy-components.ts";
import {
  getDeployRoute,
  getInstallComponentRoute,
  listDeploysOfComponentRoute,
} from "../../shared/api/install-components.ts";
import { type InstallDeploy, installDeploys } from "../../shared/api/install-deploys.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { deployStatuses } from "../../shared/deploy-statuses.ts";
import { runCodes } from "../actions/follow-run.ts";
import { type Caller, type Command, defineCommand } from "../command.ts";
import { findInstall, installArgs } from "../installs/find-install.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { type Page, printItem } from "../output/print.ts";
import { deployDetails, deployLine } from "./deploy-view.ts";
import { followDeploy, followDetails, followFlags } from "./follow-deploy.ts";

const component = { summary: "The component's name or id." } as const;
type Params = { readonly install_id: string; readonly component_id: string };

const deploy = defineCommand({
  name: "deploy",
  summary: "Deploy a component of an install, and follow it.",
  details: `By the newest build of the install's config, unless --build or --rollback says another. ${followDetails}`,
  codes: runCodes,
  ownsInterrupt: true,
  outlivesReader: true,
  args: { ...installArgs, component },
  flags: {
    build: { value: "BUILD", offers: "builds", summary: "This build; an older one, too." },
    rollback: { summary: "The build of the last good deploy before the one that stands." },
    recover: { summary: "Plan what is deployed again after a failure." },
    dependents: { summary: "Also what needs it, where that changes." },
    dependencies: { summary: "First what it needs, where that changes." },
    ...followFlags,
  },
  examples: [
    { does: "Deploy a component.", run: "svc deploy acme api" },
    { does: "Go back to what was there before.", run: "svc deploy acme api --rollback" },
  ],
  run: async (context) => {
    const { args, flags, call } = context;
    if ([flags.build !== undefined, flags.rollback, flags.recover].filter(Boolean).length > 1)
      throw new UsageError("Give one of --build, --rollback and --recover.");
    const install_id = (await findInstall(call, args.install)).body.id;
    const params = { install_id, component_id: args.component };
    const build = flags.rollback ? await formerBuild(call, params) : flags.build;
    const body = {
      ...(build !== undefined && { build_id: build }),
      ...(flags.recover && { type: "recover" as const }),
      ...(flags.dependents && { deploy_dependents: true }),
      ...(flags.dependencies && { deploy_dependencies: true }),
      ...(flags.role !== undefined && { role: flags.role }),
      plan_only: flags["plan-only"],
    };
    const begun = await call(createDeployOfComponentRoute, { params, body });
    const { id, workflow_id: workflowId } = begun.body;
    const isWaiting = !flags["no-wait"];
    return await followDeploy(context, { id, text: begun.text, workflowId, isWaiting });
  },
});

/** Of a hundred deploys each. */
const mostPages = 20;

/** Of the last deploy that was good, of another build than the one that is there. */
async function formerBuild(call: Caller, params: Params): Promise<string> {
  const { deployed_id: deployedId, ...rest } = (await call(getInstallComponentRoute, { params }))
    .body;
  const now = rest.install_deploys.find(({ id }) => id === deployedId);
  if (now === undefined)
    throw new UsageError(
      `Nothing of ${rest.component_name} is deployed: there is nothing to go back from.`,
    );
  let cursor: string | null = "";
  for (let page = 0; page < mostPages && cursor !== null; page++) {
    const query = { status: "active" as const, limit: "100", cursor };
    const answer: Page<InstallDeploy> = pageOfListing(
      await call(listDeploysOfComponentRoute, { params, query }),
    );
    const former = answer.body.items.find(
      (one) =>
        one.id < now.id &&
        one.install_deploy_type !== "teardown" &&
        one.build_id !== "" &&
        one.build_id !== now.build_id,
    );
    if (former !== undefined) return former.build_id;
    cursor = answer.body.next_cursor;
  }
  const where = cursor === null ? "before" : `in its last ${mostPages * 100} good deploys`;
  throw new UsageError(
    `No other build of ${rest.component_name} was deployed ${where}.`,
    "Give one: svc deploy INSTALL COMPONENT --build BUILD",
  );
}

const listDeploys = defineList({
  name: "deploy list",
  summary: "List the deploys of an install, or of one of its components, newest first.",
  args: { ...installArgs, component: { ...component, isOptional: true } },
  flags: {
    status: { value: "STATUS", choices: deployStatuses, summary: "Only those of this status." },
  },
  examples: [{ does: "See what was deployed.", run: "svc deploy list acme" }],
  view: deployLine,
  empty: "No deploys found. Begin one: svc deploy INSTALL COMPONENT",
  read: async ({ args, flags: { status }, call, page }) => {
    const install_id = (await findInstall(call, args.install)).body.id;
    const query = { status, ...pagesOfListing(page) };
    if (args.component === undefined)
      return pageOfListing(await call(installDeploys.list, { params: { install_id }, query }));
    const params = { install_id, component_id: args.component };
    return pageOfListing(await call(listDeploysOfComponentRoute, { params, query }));
  },
});

const getDeploy = defineCommand({
  name: "deploy get",
  summary: "Show a deploy: what it changes, its build, its jobs, and why it failed.",
  args: { ...installArgs, deploy: { summary: "The deploy's id." } },
  examples: [{ does: "Show a deploy.", run: "svc deploy get acme dep_…" }],
  run: async ({ args, call, screen }) => {
    const install_id = (await findInstall(call, args.install)).body.id;
    const params = { install_id, deploy_id: args.deploy };
    printItem(screen, await call(getDeployRoute, { params }), deployDetails);
  },
});

/** The commands of deploys, in the order of help. */
export const deployCommands: readonly Command[] = [deploy, listDeploys, getDeploy];
