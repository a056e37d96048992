import { callRoute } from "../../shared/api/call-route.ts";
import { getOwnTokenRoute } from "../../shared/api/tokens.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { findConnection } from "../connection/connection.ts";
import {
  devName,
  readProfiles,
  requireProfileName,
  unknownProfile,
  usualName,
  withoutProfile,
  writeProfiles,
} from "../connection/profile.ts";
import { printItem } from "../output/print.ts";
import { tokenView } from "../tokens/token-view.ts";

const logIn = defineCommand({
  name: "auth login",
  summary: "Save a broker's URL and a token as a profile for later commands.",
  details:
    "The token is read from --token-file or SVC_TOKEN. It is verified first, then stored with mode 0600. Without --profile the current profile is replaced.",
  examples: [
    {
      does: "Save a token from a password store.",
      run: "pass show svc | svc auth login --url https://svc.example.com --token-file -",
    },
    {
      does: "Save another broker beside it, and use it from now on.",
      run: "svc auth login --profile staging --url https://staging.example.com --token-file token",
    },
  ],
  run: async ({ globals, config, screen }) => {
    const unnamed = { ...config, profile: undefined };
    const found = await findConnection(unnamed, { ...globals, profile: undefined });
    const { url, token, orgId, source } = found;
    if (token === undefined || source !== "flags and environment") {
      throw new UsageError(
        "Give the broker with --url URL and the token with --token-file FILE or SVC_TOKEN.",
      );
    }
    const saved = await readProfiles(config.profileFile);
    const present = saved.current === devName ? undefined : saved.current;
    const told = globals.profile ?? config.profile ?? present ?? usualName;
    const name = requireProfileName(told);
    const asked = callRoute({ url, token, orgId }, getOwnTokenRoute, {});
    const own = await screen.during(`Waiting for ${url}`, asked);
    const org = orgId ?? own.body.org_id;
    const former = Object.hasOwn(saved.profiles, name) ? saved.profiles[name] : undefined;
    const brands = former?.url === url ? former.brands : undefined; // they are the broker's
    const profiles = { ...saved.profiles, [name]: { url, token, org, brands } };
    await writeProfiles(config.profileFile, { current: name, profiles });
    const where = `Saved as profile ${name} in ${config.profileFile}`;
    screen.say(`${where}: ${own.body.hint} for ${url}, org ${org}.`);
  },
});

const showAuth = defineCommand({
  name: "auth status",
  summary: "Show which broker and token commands use, and where they are configured.",
  examples: [{ does: "Show whose token is used.", run: "svc auth status" }],
  run: async ({ connect, call, screen }) => {
    const { url, source } = await connect();
    screen.say(`${url} (${source})`);
    printItem(screen, await call(getOwnTokenRoute, {}), {
      ...tokenView,
      columns: {
        ...tokenView.columns,
        ORG: ({ org_id }) => org_id,
      },
    });
  },
});

const logOut = defineCommand({
  name: "auth logout",
  summary: "Remove a saved broker and its token.",
  isLocal: true,
  flags: {
    profile: {
      value: "NAME",
      offers: "profiles",
      summary: "The profile to remove (default: SVC_PROFILE, or the current one).",
    },
  },
  examples: [{ does: "Remove the saved token.", run: "svc auth logout" }],
  run: async ({ config, flags, screen }) => {
    const saved = await readProfiles(config.profileFile);
    const name = flags.profile ?? config.profile ?? saved.current;
    if (name === undefined || name === devName) {
      screen.say("Nothing is saved.");
      return;
    }
    if (!Object.hasOwn(saved.profiles, name)) throw unknownProfile(name, saved);
    await writeProfiles(config.profileFile, withoutProfile(saved, name));
    screen.say("Logged out. The token itself is still valid; to revoke it: svc token revoke TOKEN");
  },
});

/** The commands of signing in, in the order of help. */
export const authCommands: readonly Command[] = [logIn, showAuth, logOut];
