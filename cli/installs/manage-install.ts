import {
  deprovisionInstallRoute,
  reprovisionInstallRoute,
  updateInstallConfigRoute,
} from "../../shared/api/install-workflows.ts";
import {
  deleteInstallRoute,
  forgetInstallRoute,
  updateInstallRoute,
} from "../../shared/api/installs.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { waitFlag, waits, watchOrFollow } from "../deploys/follow-deploy.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { readPairs } from "../flags/read-pairs.ts";
import { printItem } from "../output/print.ts";
import { findInstall, installArgs as args } from "./find-install.ts";
import { installDetails } from "./install-view.ts";

const yes = { yes: { summary: "Required: this cannot be undone." } } as const;
const planOnly = {
  "plan-only": { summary: "Only plan: show what would be done." },
} as const;

export const updateInstall = defineCommand({
  name: "install update",
  summary: "Rename an install, or change its metadata.",
  details: "Its inputs, labels and settings have their own commands.",
  args,
  flags: {
    name: { value: "NAME", summary: "Its new name, unique in the app." },
    metadata: {
      value: "KEY=VALUE",
      isRepeatable: true,
      summary: "Your own metadata, such as managed_by=terraform.",
    },
    unset: { value: "KEY", isRepeatable: true, summary: "Remove some of them." },
  },
  examples: [{ does: "Rename an install.", run: "svc install update acme --name acme-eu" }],
  run: async ({ args, flags, call, screen }) => {
    const given = readPairs("--metadata", flags.metadata);
    const changesMetadata = flags.metadata.length + flags.unset.length > 0;
    if (flags.name === undefined && !changesMetadata)
      throw new UsageError("Nothing to change.", "See: svc install update --help");
    const { body: install } = await findInstall(call, args.install);
    const kept = Object.entries({ ...install.metadata, ...given });
    const body = {
      ...(flags.name !== undefined && { name: flags.name }),
      ...(changesMetadata && {
        metadata: Object.fromEntries(kept.filter(([key]) => !flags.unset.includes(key))),
      }),
    };
    const params = { install_id: install.id };
    printItem(screen, await call(updateInstallRoute, { params, body }), installDetails);
  },
});

export const reprovisionInstall = defineCommand({
  name: "install reprovision",
  summary: "Provision an install again, by its app's active config.",
  ...waits,
  args,
  flags: { ...planOnly, ...waitFlag },
  examples: [{ does: "Provision it again.", run: "svc install reprovision acme" }],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    const { id } = (await findInstall(call, args.install)).body;
    const wanted = { plan_only: flags["plan-only"] };
    const { body } = await call(reprovisionInstallRoute, {
      params: { install_id: id },
      body: wanted,
    });
    screen.out(body.workflow_id);
    return await watchOrFollow(context, body.workflow_id, flags.wait);
  },
});

export const updateInstallConfig = defineCommand({
  name: "install update-config",
  summary:
    "Update an install to a config of its app: the active one, unless --config names another.",
  ...waits,
  args,
  flags: { config: { value: "CONFIG", summary: "The config's id." }, ...planOnly, ...waitFlag },
  examples: [{ does: "Update it to the active config.", run: "svc install update-config acme" }],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    const { body: install } = await findInstall(call, args.install);
    const id = flags.config ?? install.app_config_ref.expected_config_id;
    if (id === null)
      throw new UsageError("The app has no active config.", "Sync one: svc app sync DIR");
    const params = { install_id: install.id };
    const wanted = { app_config_id: id, plan_only: flags["plan-only"] };
    const { body } = await call(updateInstallConfigRoute, { params, body: wanted });
    screen.out(body.workflow_id);
    return await watchOrFollow(context, body.workflow_id, flags.wait);
  },
});

export const deprovisionInstall = defineCommand({
  name: "install deprovision",
  summary: "Deprovision an install; its records stay.",
  ...waits,
  args,
  flags: { ...yes, ...waitFlag },
  examples: [{ does: "Deprovision it.", run: "svc install deprovision acme --yes" }],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    requireYes(flags.yes, "Deprovisioning an install");
    const { id } = (await findInstall(call, args.install)).body;
    const { body } = await call(deprovisionInstallRoute, { params: { install_id: id }, body: {} });
    screen.out(body.workflow_id);
    return await watchOrFollow(context, body.workflow_id, flags.wait);
  },
});

export const deleteInstall = defineCommand({
  name: "install delete",
  summary: "Deprovision an install, then delete it.",
  ...waits,
  args,
  flags: { ...yes, ...waitFlag },
  examples: [{ does: "Delete it.", run: "svc install delete acme --yes" }],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    requireYes(flags.yes, "Deleting an install");
    const { body: install } = await findInstall(call, args.install);
    const { body } = await call(deleteInstallRoute, { params: { install_id: install.id } });
    if (body.workflow_id === "") {
      screen.say(`${install.name} (${install.id}) is deleted: it was never provisioned.`);
      return exitCodes.ok.code;
    }
    screen.out(body.workflow_id);
    return await watchOrFollow(context, body.workflow_id, flags.wait);
  },
});

export const forgetInstall = defineCommand({
  name: "install forget",
  summary: "Delete an install's records, but nothing that runs in the customer's account.",
  args,
  flags: yes,
  examples: [
    { does: "Forget an install whose account is gone.", run: "svc install forget acme --yes" },
  ],
  run: async ({ args, flags, call, screen }) => {
    requireYes(flags.yes, "Forgetting an install");
    const { body: install } = await findInstall(call, args.install);
    const params = { install_id: install.id };
    await call(forgetInstallRoute, { params, body: { confirm: install.name } });
    screen.say(`${install.name} (${install.id}) is forgotten.`);
  },
});

function requireYes(isGiven: boolean, what: string): void {
  if (!isGiven) throw new UsageError(`${what} cannot be undone. To confirm, add --yes.`);
}
