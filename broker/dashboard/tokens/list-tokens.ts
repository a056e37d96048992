import { html } from "hono/html";
import { type Token, tokens } from "../../../shared/api/tokens.ts";
import type { Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { listPage } from "../parts/list-page.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** GET /tokens: the org's tokens, by their hints, and when each was last used. */
export const listTokens = listPage({
  path: "/tokens",
  permission: "tokens.read",
  title: "Tokens",
  icon: "tokens",
  one: "token",
  filters: {
    account_id: { label: "Account" },
    runner_id: { label: "Runner" },
    bound_id: { label: "Bound to" },
  },
  acts: [{ label: "Create a token", to: "/tokens/new", permission: "tokens.write" }],
  read: async (view, query) => await view.ask(tokens.list, { query }),
  show: (items, view) => tokenTable(view, items),
  whenNone: html`Create one: <code>svc token create</code>`,
});

function tokenTable(view: View, tokens: readonly Token[]): Html {
  const { nowMs, actor } = view;
  return table(
    "Tokens, the newest first",
    [
      {
        head: "Name",
        cell: ({ name, id }) =>
          html`${name || html`<span class="id">${id}</span>`}
          ${id === actor.tokenId ? html`<span class="dim">(yours)</span>` : ""}`,
      },
      { head: "Hint", cell: ({ hint }) => html`<code>${hint}</code>` },
      { head: "State", cell: (token) => stateOf(token, nowMs) },
      { head: "Kind", kind: "minor", cell: ({ kind }) => kindWords[kind] },
      { head: "Role", cell: ({ role, role_id: id }) => id ?? role ?? "roles of its account" },
      { head: "Bound to", cell: boundTo },
      { head: "Last used", cell: ({ last_used_at: at }) => timeAgo(at, nowMs) },
      { head: "Expires", cell: ({ expires_at: at }) => timeAgo(at, nowMs) },
      { head: "Created", kind: "minor", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
      ...(view.can("tokens.write") ? [{ head: "Act", cell: act }] : []),
    ],
    tokens,
  );
}

const kindWords: Readonly<Record<Token["kind"], string>> = {
  pat: "person",
  sa: "service account",
  rt: "runner",
  boot: "enrolment",
  st: "stack",
  it: "installer",
};

function stateOf({ revoked_at: revoked, expires_at: expires }: Token, nowMs: number): Html {
  if (revoked !== null) return badge("revoked", "off");
  if (expires !== null && Date.parse(expires) <= nowMs) return badge("expired");
  return badge("valid", "good");
}

function boundTo({ bound_type: type, bound_id: id }: Token): Html {
  return type === null ? html`–` : html`<a class="id" href="/${type}/${id}">${id}</a>`;
}

function act({ id, revoked_at: revoked }: Token): Html {
  return revoked === null ? html`<a href="/tokens/${id}/revoke">Revoke…</a>` : html`–`;
}
