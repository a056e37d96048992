import { html } from "hono/html";
import { revokeTokenRoute, tokens } from "../../../shared/api/tokens.ts";
import type { Action, View } from "../page.ts";
import { notNow } from "../parts/not-now.ts";
import { timeAgo } from "../parts/time.ts";

const paramsOf = (view: View) => ({ token_id: view.param("token_id") });

/** Ends a token; one's own with the session. */
export const revokeToken: Action = {
  path: "/tokens/{token_id}/revoke",
  permission: "tokens.write",
  async ask(view) {
    const token = await view.ask(tokens.get, { params: paramsOf(view) });
    if (token.revoked_at !== null) {
      throw notNow("This token was revoked already.");
    }
    const isOwn = token.id === view.actor.tokenId;
    return {
      title: `Revoke ${token.name || token.hint}`,
      text: html`<p>
          <code>${token.hint}</code>, last used ${timeAgo(token.last_used_at, view.nowMs)}. Every
          request with it is refused within a second, and its sessions end. This cannot be undone.
        </p>
        ${isOwn ? html`<p><strong>It is your own: this session ends.</strong></p>` : ""}`,
      button: isOwn ? "Revoke it and end my session" : "Revoke this token",
      isDangerous: true,
      back: "/tokens",
    };
  },
  async run(view) {
    const token = await view.ask(revokeTokenRoute, { params: paramsOf(view) });
    return { said: `Revoked ${token.name || token.hint}.`, to: "/tokens" };
  },
};
