import {
  deployComponentsRoute,
  forgetComponentRoute,
  teardownComponentRoute,
  teardownComponentsRoute,
  toggleComponentRoute,
} from "../../shared/api/deploy-components.ts";
import { listDriftedObjectsRoute } from "../../shared/api/drifted-objects.ts";
import {
  getInstallComponentOutputsRoute,
  listInstallComponentsRoute,
} from "../../shared/api/install-components.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runCodes } from "../actions/follow-run.ts";
import { defineCommand } from "../command.ts";
import { changesText, installComponentLine } from "../deploys/deploy-view.ts";
import { followDeploy, followDetails, followFlags } from "../deploys/follow-deploy.ts";
import { defineList } from "../lists/define-list.ts";
import { findInstall, installArgs as args } from "./find-install.ts";

const component = { summary: "The component's name or id." } as const;
const follows = { codes: runCodes, ownsInterrupt: true, outlivesReader: true } as const;
const force = { summary: "Also while components are deployed that need it." } as const;

export const listComponents = defineList({
  name: "install components",
  summary: "List the components of an install, and what is deployed of each.",
  isWhole: true,
  args,
  examples: [{ does: "See what is deployed.", run: "svc install components acme" }],
  view: installComponentLine,
  empty: "The install has no components.",
  read: async ({ args, call }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const { body, text } = await call(listInstallComponentsRoute, { params: { install_id: id } });
    return { text, body: { items: body, next_cursor: null } };
  },
});

export const showOutputs = defineCommand({
  name: "install outputs",
  summary: "Show the outputs of what is deployed of a component, as JSON.",
  args: { ...args, component },
  examples: [{ does: "Show the outputs.", run: "svc install outputs acme db" }],
  run: async ({ args, call, screen }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const params = { install_id: id, component_id: args.component };
    const { body } = await call(getInstallComponentOutputsRoute, { params });
    screen.out(JSON.stringify(body, null, 2));
  },
});

export const listDrift = defineCommand({
  name: "install drift",
  summary: "List what has drifted in an install.",
  args,
  examples: [{ does: "See what drifted.", run: "svc install drift acme" }],
  run: async ({ args, call, screen }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const { body, text } = await call(listDriftedObjectsRoute, { params: { install_id: id } });
    if (screen.format === "json" || screen.format === "ndjson") screen.out(text);
    else
      for (const drifted of body) {
        const { component_name: name, target_id: by } = drifted;
        screen.out(`${name === "" ? "the sandbox" : name}: ${changesText(drifted)} (${by})`);
      }
    if (body.length === 0) screen.say("Nothing differs.");
  },
});

const howOf = (flags: { readonly role: string | undefined; readonly "plan-only": boolean }) => ({
  ...(flags.role !== undefined && { role: flags.role }),
  plan_only: flags["plan-only"],
});

export const deployAll = defineCommand({
  name: "install deploy-all",
  summary: "Deploy all components of an install, and follow it.",
  details: followDetails,
  ...follows,
  args,
  flags: followFlags,
  examples: [{ does: "Deploy all.", run: "svc install deploy-all acme" }],
  run: async (context) => {
    const { args, flags, call } = context;
    const { id } = (await findInstall(call, args.install)).body;
    const asked = { params: { install_id: id }, body: howOf(flags) };
    return await follow(context, await call(deployComponentsRoute, asked), flags);
  },
});

export const tearDown = defineCommand({
  name: "install teardown",
  summary: "Tear down a component of an install, or with --all each of them, and follow it.",
  details: followDetails,
  ...follows,
  args: { ...args, component: { ...component, isOptional: true } },
  flags: { all: { summary: "All components of the install." }, force, ...followFlags },
  examples: [
    { does: "Tear down a component.", run: "svc install teardown acme api" },
    { does: "Tear down all.", run: "svc install teardown acme --all" },
  ],
  run: async (context) => {
    const { args, flags, call } = context;
    if ((args.component === undefined) !== flags.all)
      throw new UsageError("Give either a component or --all.");
    const { id: install_id } = (await findInstall(call, args.install)).body;
    const how = howOf(flags);
    if (args.component === undefined)
      return await follow(
        context,
        await call(teardownComponentsRoute, { params: { install_id }, body: how }),
        flags,
      );
    const params = { install_id, component_id: args.component };
    const body = { ...how, force: flags.force };
    return await follow(context, await call(teardownComponentRoute, { params, body }), flags);
  },
});

export const toggleComponent = defineCommand({
  name: "install toggle",
  summary: "Switch a component of an install on or off, which deploys it or tears it down.",
  details: `The app's config says which components can be switched. ${followDetails}`,
  ...follows,
  args: { ...args, component, state: { summary: "on or off.", choices: ["on", "off"] } },
  flags: { force, ...followFlags },
  examples: [{ does: "Switch a component on.", run: "svc install toggle acme cache on" }],
  run: async (context) => {
    const { args, flags, call } = context;
    const { id: install_id } = (await findInstall(call, args.install)).body;
    const params = { install_id, component_id: args.component };
    const body = { enabled: args.state === "on", force: flags.force, ...howOf(flags) };
    return await follow(context, await call(toggleComponentRoute, { params, body }), flags);
  },
});

export const forgetComponent = defineCommand({
  name: "install forget-component",
  summary: "Take a component as torn down: what is there of it stays.",
  args: { ...args, component },
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [
    { does: "Forget what somebody removed.", run: "svc install forget-component acme db --yes" },
  ],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Forgetting a component cannot be undone. To confirm, add --yes.");
    const { id: install_id } = (await findInstall(call, args.install)).body;
    const params = { install_id, component_id: args.component };
    const { body } = await call(forgetComponentRoute, { params, body: {} });
    screen.say(`${body.component_name} is taken as torn down.`);
  },
});

type Answer = { readonly text: string; readonly body: { readonly workflow_id: string } };

const follow = (
  context: Parameters<typeof followDeploy>[0],
  { text, body: { workflow_id: id } }: Answer,
  flags: { readonly "no-wait": boolean },
): Promise<number> =>
  followDeploy(context, { id, text, workflowId: id, isWaiting: !flags["no-wait"] });
