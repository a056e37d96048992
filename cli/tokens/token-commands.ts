import { listTokensRoute, revokeTokenRoute, rotateTokenRoute } from "../../shared/api/tokens.ts";
import { defineCommand } from "../command.ts";
import { pageFlags } from "../flags/global-flags.ts";
import { printItem, printPage } from "../output/print.ts";
import { showSecret, tokenView } from "./token-view.ts";

const args = { token: { summary: "The token's id, never the token itself." } } as const;

export const listTokens = defineCommand({
  name: "token list",
  summary: "List the org's tokens, newest first.",
  flags: {
    runner: { value: "RUNNER", offers: "runners", summary: "Only this runner's." },
    ...pageFlags,
  },
  examples: [{ does: "List tokens and their last use.", run: "svc token list" }],
  run: async ({ flags, call, screen }) => {
    const { runner, limit, cursor } = flags;
    printPage(
      screen,
      await call(listTokensRoute, { query: { runner_id: runner, limit, cursor } }),
      {
        ...tokenView,
        empty: "No tokens. Create one: svc token create --name NAME --role org_admin",
        more: "svc token list",
      },
    );
  },
});

export const revokeToken = defineCommand({
  name: "token revoke",
  summary: "Revoke a token. It stops working within a second.",
  args,
  examples: [{ does: "Revoke a leaked token.", run: "svc token revoke tok_…" }],
  run: async ({ args, call, screen }) => {
    printItem(
      screen,
      await call(revokeTokenRoute, { params: { token_id: args.token } }),
      tokenView,
    );
  },
});

export const rotateToken = defineCommand({
  name: "token rotate",
  summary: "Rotate a token; the old one stays valid for the overlap period.",
  args,
  examples: [{ does: "Write a new token to a file.", run: "svc token rotate tok_… > token" }],
  run: async ({ args, call, screen }) => {
    showSecret(screen, await call(rotateTokenRoute, { params: { token_id: args.token } }));
  },
});
