import { createTokenRoute } from "../../shared/api/tokens.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { grantablePermissions, roleTypes } from "../../shared/permissions.ts";
import { type Caller, defineCommand } from "../command.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { showSecret } from "../tokens/token-view.ts";
import type { TokenWish } from "./create-token-here.ts";
import { requireDatabaseUrl } from "./migrate-database.ts";

const kinds = ["sa", "pat", "rt", "st", "it"] as const;

export const createToken = defineCommand({
  name: "token create",
  summary: "Create a token. It is shown only once.",
  details:
    "With DATABASE_URL the token is written directly to the database and needs no other token: this is how the first one of an installation is created. Without it, the API creates the token.",
  flags: {
    name: {
      value: "NAME",
      summary: "A name that says what it is for. Required, except with --new-org.",
    },
    role: {
      value: "ROLE",
      choices: roleTypes,
      summary: "Its role. Required, except for pat (which has its account's roles) and rt.",
    },
    "role-id": {
      value: "ROLE_ID",
      summary: "A role of the org, in place of --role.",
    },
    grant: {
      value: "PERMISSION",
      isRepeatable: true,
      choices: grantablePermissions,
      summary: "A permission in addition to those of its role.",
    },
    kind: {
      value: "KIND",
      choices: kinds,
      summary: "The kind of token: sa (service account, the default), pat, rt, st or it.",
    },
    account: { value: "ACCOUNT", summary: "The account of a pat." },
    runner: { value: "RUNNER", offers: "runners", summary: "The runner of an rt." },
    app: {
      value: "APP",
      summary: "Bind it to this app: it reaches the app and its installs alone.",
    },
    install: { value: "INSTALL", summary: "Bind it to this install: it reaches that alone." },
    expires: { value: "DURATION", summary: "How long it is valid, like 90d (default: no expiry)." },
    "new-org": {
      value: "NAME",
      summary: "Create an org with an admin, and a token with all permissions. Needs DATABASE_URL.",
    },
  },
  examples: [
    {
      does: "Create the first token of an installation, on a machine that reaches the database.",
      run: "DATABASE_URL=… svc token create --new-org Acme > admin-token",
    },
    {
      does: "Create a token for a build server.",
      run: "svc token create --name ci --role org_builder --expires 90d",
    },
    {
      does: "Create a token that works on one install.",
      run: "svc token create --name acme --kind it --role installer --install ins_…",
    },
  ],
  run: async ({ flags, call, screen, config, connect }) => {
    const expiresNs = readDurationNs("--expires", flags.expires);
    const expiresAt =
      expiresNs === undefined ? undefined : new Date(Date.now() + expiresNs / 1e6).toISOString();
    const newOrg = flags["new-org"];
    if (newOrg === undefined && flags.name === undefined) {
      throw new UsageError("The flag --name is required: it says what the token is for.");
    }
    const wish: TokenWish = {
      name: flags.name ?? "first admin",
      kind: flags.kind ?? "sa",
      role: flags.role,
      roleId: flags["role-id"],
      grants: flags.grant,
      accountId: flags.account,
      runnerId: flags.runner,
      bound: boundIn(flags),
      expiresAt,
    };
    if (config.databaseUrl === undefined && newOrg === undefined) {
      showSecret(screen, await createByApi(call, wish));
      return;
    }
    const here = await import("./create-token-here.ts");
    const { orgId } = await connect();
    const target = newOrg === undefined ? { orgId: requireOrg(orgId) } : { newOrg };
    showSecret(screen, await here.createTokenHere(requireDatabaseUrl(config), wish, target));
  },
});

function boundIn({ app, install }: Readonly<Record<"app" | "install", string | undefined>>) {
  if (app !== undefined && install !== undefined)
    throw new UsageError("Use only one of --app and --install: a token is bound to one of them.");
  if (app !== undefined) return { type: "apps", id: app } as const;
  return install === undefined ? undefined : ({ type: "installs", id: install } as const);
}

async function createByApi(call: Caller, wish: TokenWish) {
  const { name, kind, role, grants, accountId, runnerId, bound, expiresAt, roleId } = wish;
  return await call(createTokenRoute, {
    body: {
      name,
      kind,
      role,
      role_id: roleId,
      grants: grants === undefined ? undefined : [...grants],
      account_id: accountId,
      runner_id: runnerId,
      bound_type: bound?.type,
      bound_id: bound?.id,
      expires_at: expiresAt,
    },
  });
}

function requireOrg(orgId: string | undefined): string {
  if (orgId !== undefined) return orgId;
  throw new UsageError(
    "The flag --org is required: name the org, or create one with --new-org NAME.",
  );
}
