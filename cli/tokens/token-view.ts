import type { Token } from "../../shared/api/tokens.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import type { Screen } from "../output/screen.ts";

/** A token as a line of a list, and by itself; never its secret. */
export const tokenView: View<Token> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    TOKEN: ({ hint }) => hint,
    ROLE: ({ role, role_id: id }) => id ?? role ?? "its account's",
    BOUND: ({ bound_id: id }) => id ?? "-",
    STATE: stateOf,
    USED: ({ last_used_at: at }) => (at === null ? "never" : `${formatAge(at)} ago`),
  },
};

type WithSecret = { readonly body: Token & { readonly secret: string }; readonly text: string };

/** Shows a new token, this once: its secret alone on standard output, the words about it beside. */
export function showSecret(screen: Screen, { body, text }: WithSecret): void {
  if (screen.format === "table") {
    screen.say(`${body.id}, in org ${body.org_id}. Save it now: it is not shown again.`);
    screen.out(body.secret);
  } else screen.out(screen.format === "name" ? body.id : text);
}

function stateOf({ revoked_at: revoked, expires_at: expires }: Token): string {
  if (revoked !== null) return "revoked";
  if (expires === null) return "live";
  return Date.parse(expires) <= Date.now() ? "expired" : `until ${expires}`;
}
