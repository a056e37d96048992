import { revokeTokenRoute, rotateTokenRoute, tokens } from "../../shared/api/tokens.ts";
import { type Command, defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { createToken } from "../local/create-token.ts";
import { printItem } from "../output/print.ts";
import { showSecret, tokenView } from "./token-view.ts";

const args = {
  token: { summary: "The token's id, never the token itself.", offers: "tokens" },
} as const;

const listTokens = defineList({
  name: "token list",
  summary: "List the org's tokens, newest first.",
  flags: {
    runner: { value: "RUNNER", offers: "runners", summary: "Only this runner's." },
    account: { value: "ACCOUNT", summary: "Only this account's." },
    bound: { value: "ID", summary: "Only those that are bound to this app or install." },
  },
  examples: [{ does: "List tokens and their last use.", run: "svc token list" }],
  view: tokenView,
  empty: "No tokens found. Create one: svc token create --name NAME --role org_admin",
  read: async ({ flags, call, page }) => {
    const { runner: runner_id, account: account_id, bound: bound_id } = flags;
    return await call(tokens.list, { query: { runner_id, account_id, bound_id, ...page } });
  },
});

const revokeToken = defineCommand({
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

const rotateToken = defineCommand({
  name: "token rotate",
  summary: "Rotate a token; the old one stays valid for the overlap period.",
  args,
  examples: [{ does: "Write a new token to a file.", run: "svc token rotate tok_… > token" }],
  run: async ({ args, call, screen }) => {
    showSecret(screen, await call(rotateTokenRoute, { params: { token_id: args.token } }));
  },
});

/** The commands of tokens, in the order of help. */
export const tokenCommands: readonly Command[] = [
  createToken,
  listTokens,
  rotateToken,
  revokeToken,
];
