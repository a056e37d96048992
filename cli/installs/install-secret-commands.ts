import {
  deleteInstallSecretRoute,
  type InstallSecret,
  installSecrets,
  setInstallSecretRoute,
  syncInstallSecretsRoute,
} from "../../shared/api/install-secrets.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runCodes } from "../actions/follow-run.ts";
import { toPage } from "../apps/find-app.ts";
import { defineCommand } from "../command.ts";
import { followDeploy, followDetails, followFlags } from "../deploys/follow-deploy.ts";
import { defineList } from "../lists/define-list.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import { findInstall, installArgs } from "./find-install.ts";

const placeOf = (one: InstallSecret): string =>
  one.arn || one.gcp_secret_name || one.azure_key_vault_secret_id;

const secretLine: View<InstallSecret> = {
  nameOf: ({ name }) => name,
  columns: {
    NAME: ({ name }) => name,
    PLACE: placeOf,
    SET: ({ updated_at }) => formatAge(updated_at),
  },
};

const args = { ...installArgs, name: { summary: "The secret's name." } } as const;

export const listInstallSecrets = defineList({
  name: "install secret list",
  summary: "List where an install's secrets are.",
  args: installArgs,
  flags: { name: { value: "NAME", summary: "Only the secret of this name." } },
  examples: [{ does: "List the secrets of an install.", run: "svc install secret list acme" }],
  view: secretLine,
  empty: "No secrets found. Say where one is: svc install secret set INSTALL NAME --arn ARN",
  read: async ({ args, flags: { name }, call, page }) => {
    const params = { install_id: (await findInstall(call, args.install)).body.id };
    const query = { name, limit: page.limit, cursor: page.cursor ?? "" };
    return toPage(await call(installSecrets.list, { params, query }));
  },
});

export const setInstallSecret = defineCommand({
  name: "install secret set",
  summary: "Say where a secret of an install is; what was said before is replaced.",
  details:
    "A place in the customer's own store, by one of the flags. The value is never given to svc.",
  args,
  flags: {
    arn: { value: "ARN", summary: "In AWS Secrets Manager." },
    "gcp-name": {
      value: "NAME",
      summary: "In Google's Secret Manager: projects/PROJECT/secrets/NAME.",
    },
    "vault-id": {
      value: "ID",
      summary: "In an Azure Key Vault: https://VAULT.vault.azure.net/secrets/NAME.",
    },
  },
  examples: [
    {
      does: "Say where one is in Google's Secret Manager.",
      run: "svc install secret set acme license --gcp-name projects/acme-1/secrets/license",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const given = {
      arn: flags.arn,
      gcp_secret_name: flags["gcp-name"],
      azure_key_vault_secret_id: flags["vault-id"],
    };
    if (Object.values(given).filter((one) => one !== undefined).length !== 1)
      throw new UsageError("Give one of --arn, --gcp-name and --vault-id.");
    const { body: install } = await findInstall(call, args.install);
    const params = { install_id: install.id, secret_name: args.name };
    const { text, body } = await call(setInstallSecretRoute, { params, body: given });
    if (screen.format === "json" || screen.format === "ndjson") screen.out(text);
    else if (screen.format === "name") screen.out(body.name);
    screen.say(`${install.name}: the secret ${body.name} is ${placeOf(body)}.`);
  },
});

export const deleteInstallSecret = defineCommand({
  name: "install secret delete",
  summary: "Forget where a secret of an install is; the secret itself stays.",
  args,
  examples: [{ does: "Forget one.", run: "svc install secret delete acme license" }],
  run: async ({ args, call, screen }) => {
    const { body: install } = await findInstall(call, args.install);
    const params = { install_id: install.id, secret_name: args.name };
    const { body } = await call(deleteInstallSecretRoute, { params });
    screen.say(`${install.name}: where ${body.name} is is forgotten (it was ${placeOf(body)}).`);
  },
});

export const syncInstallSecrets = defineCommand({
  name: "install secret sync",
  summary:
    "Copy an install's secrets out of the customer's stores into its cluster, and follow it.",
  details: followDetails,
  codes: runCodes,
  ownsInterrupt: true,
  outlivesReader: true,
  args: installArgs,
  flags: followFlags,
  examples: [
    { does: "Copy what has changed in the stores.", run: "svc install secret sync acme" },
    { does: "Only look.", run: "svc install secret sync acme --plan-only" },
  ],
  run: async (context) => {
    const { args, flags, call } = context;
    const { id: install_id } = (await findInstall(call, args.install)).body;
    const body = {
      ...(flags.role !== undefined && { role: flags.role }),
      plan_only: flags["plan-only"],
    };
    const begun = await call(syncInstallSecretsRoute, { params: { install_id }, body });
    const { workflow_id: id } = begun.body;
    const isWaiting = !flags["no-wait"];
    return await followDeploy(context, { id, text: begun.text, workflowId: id, isWaiting });
  },
});
