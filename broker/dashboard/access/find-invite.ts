import { type Invite, invites, listOwnInvitesRoute } from "../../../shared/api/invites.ts";
import { problem } from "../../../shared/problem.ts";
import type { View } from "../page.ts";

/** Pages of a hundred that are looked through: one that is older has long expired. */
const mostPages = 10;

/** The invitation that the page's address names, of the org or of the person; 404 when there is none. */
export async function findInvite(view: View, whose: "org" | "own"): Promise<Invite> {
  if (whose === "own" && view.actor.accountId === null) throw problem.notFound("invite"); // it acts for nobody
  const id = view.param("invite_id");
  const route = whose === "org" ? invites.list : listOwnInvitesRoute;
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const query = { limit: "100", ...(cursor !== undefined && { cursor }) };
    const { items, next_cursor: next } = await view.ask(route, { query });
    const found = items.find((invite) => invite.id === id);
    if (found !== undefined) return found;
    if (next === null) break;
    cursor = next;
  }
  throw problem.notFound("invite");
}

/** Whom an invitation is to: its account, or the address until somebody accepts it. */
export const whomOf = ({ account_id: account, email }: Invite): string => account || email;
