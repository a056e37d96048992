import { componentBuilds } from "../../shared/api/builds.ts";
import { getRegistryKeysRoute, getRegistryRoute } from "../../shared/api/registry-tokens.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { findApp } from "../apps/find-app.ts";
import { type Command, defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { artifactLine } from "./artifact-line.ts";
import { addDockerLogin, dockerConfigFile } from "./docker-login.ts";
import { keptLoginCommands } from "./kept-logins.ts";

/** Tokens say who they are; a name is asked for by the protocol alone. */
const anyUser = "svc";

const logIn = defineCommand({
  name: "registry login",
  summary: "Sign docker, oras, crane and helm in to the registry of your org's artifacts.",
  details:
    "Writes the token that svc itself uses to the file in which docker keeps logins, readable to you alone. Whoever may read apps pulls with it, who may build pushes. " +
    "Where a helper keeps docker's logins, take --password.",
  flags: {
    file: {
      value: "FILE",
      summary: "docker's file (default: config.json in DOCKER_CONFIG or ~/.docker).",
    },
    password: { summary: "Print the password instead, for --password-stdin of another program." },
  },
  examples: [
    { does: "Sign in, then pull.", run: "svc registry login && oras pull REPOSITORY@DIGEST" },
    {
      does: "Sign in where a helper keeps docker's logins.",
      run: "svc registry login --password | docker login registry.example.com -u svc --password-stdin",
    },
  ],
  run: async ({ flags, config, call, connect, screen }) => {
    const { body } = await call(getRegistryRoute, {});
    const { host, repositories, auth } = body;
    if (auth !== "token")
      throw new UsageError(
        `The registry ${host} takes no tokens of the broker: it needs no login, or one of its own. Whoever runs the broker says so by SVC_REGISTRY_AUTH.`,
      );
    const { token } = await connect();
    if (token === undefined) throw new UsageError("No token is used. Sign in with svc auth login.");
    if (flags.password) {
      screen.out(token);
      return;
    }
    const file = flags.file ?? dockerConfigFile(config.env);
    await addDockerLogin(file, host, { user: anyUser, password: token });
    screen.say(
      `Signed in to ${host}, in ${file}. Your org's repositories: ${host}/${repositories}/…`,
    );
  },
});

const listArtifacts = defineList({
  name: "registry ls",
  summary: "List artifacts of the org in the registry: by component and build, newest first.",
  flags: { app: { value: "APP", offers: "apps", summary: "Only this app's." } },
  examples: [{ does: "List an app's artifacts.", run: "svc registry ls --app greeter" }],
  view: artifactLine,
  empty: "No artifacts found. Make one: svc component build APP COMPONENT",
  read: async ({ flags: { app }, call, page }) => {
    const found = app === undefined ? {} : { app_id: (await findApp(call, app)).body.id };
    const query = { ...found, status: "active" as const, ...pagesOfListing(page) };
    return pageOfListing(await call(componentBuilds.list, { query }));
  },
});

const showKeys = defineCommand({
  name: "registry keys",
  summary: "Print the keys by which a registry checks the broker's tokens.",
  details:
    "A JSON Web Key Set: what the registry's jwks file has to hold. It has the key of the next 90 days, too; write it anew at least that often. It needs no token.",
  examples: [{ does: "Write the file.", run: "svc registry keys >jwks.json" }],
  run: async ({ call, screen }) => {
    const { body } = await call(getRegistryKeysRoute, {});
    screen.out(JSON.stringify(body));
  },
});

/** The commands of the registry, in the order of help. */
export const registryCommands: readonly Command[] = [
  logIn,
  listArtifacts,
  showKeys,
  ...keptLoginCommands,
];
