import { callRoute } from "../../shared/api/call-route.ts";
import { getOwnTokenRoute } from "../../shared/api/tokens.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { removeProfile, writeProfile } from "../connection/profile.ts";
import { printItem } from "../output/print.ts";
import { tokenView } from "../tokens/token-view.ts";

export const logIn = defineCommand({
  name: "auth login",
  summary: "Save a broker's URL and a token for later commands.",
  details:
    "The token is read from --token-file or SVC_TOKEN. It is verified first, then stored with mode 0600.",
  examples: [
    {
      does: "Save a token from a password store.",
      run: "pass show svc | svc auth login --url https://svc.example.com --token-file -",
    },
  ],
  run: async ({ connect, config, screen }) => {
    const { url, token, orgId, source } = await connect();
    if (token === undefined || source !== "flags and environment") {
      throw new UsageError(
        "Give the broker with --url URL and the token with --token-file FILE or SVC_TOKEN.",
      );
    }
    const own = await callRoute({ url, token, orgId }, getOwnTokenRoute, {});
    const org = orgId ?? own.body.org_id;
    await writeProfile(config.profileFile, { url, token, org });
    screen.say(`Saved in ${config.profileFile}: ${own.body.hint} for ${url}, org ${org}.`);
  },
});

export const showAuth = defineCommand({
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

export const logOut = defineCommand({
  name: "auth logout",
  summary: "Remove the saved broker and token.",
  isLocal: true,
  examples: [{ does: "Remove the saved token.", run: "svc auth logout" }],
  run: async ({ config, screen }) => {
    await removeProfile(config.profileFile);
    screen.say("Logged out. The token itself is still valid; to revoke it: svc token revoke TOKEN");
  },
});
