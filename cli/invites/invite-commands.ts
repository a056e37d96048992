import {
  acceptInviteRoute,
  createInviteRoute,
  type Invite,
  invites,
  listOwnInvitesRoute,
  resendInviteRoute,
  revokeInviteRoute,
} from "../../shared/api/invites.ts";
import { defineCommand } from "../command.ts";
import { readInput } from "../connection/connection.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem, type View } from "../output/print.ts";
import type { Screen } from "../output/screen.ts";

const view: View<Invite> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    ORG: ({ org_name: name }) => name,
    WHOM: ({ account_id: id, email }) => id || email,
    STATE: ({ status }) => status,
    UNTIL: ({ expires_at: at }) => at,
  },
};

/** How it is accepted: by its secret, where it has one, which no command's arguments should show. */
function sayHow(
  screen: Screen,
  { id, secret }: { readonly id: string; readonly secret?: string | undefined },
): void {
  if (secret === undefined) return screen.say(`To accept it: svc invite accept ${id}`);
  const isJson = screen.format === "json" || screen.format === "ndjson"; // which has it
  if (!isJson) screen.say(`Its secret, which is shown this once: ${secret}`);
  screen.say(`To accept it: svc invite accept ${id} --proof FILE`);
}

const args = { invite: { summary: "The invitation's id." } } as const;

const createInvite = defineCommand({
  name: "invite create",
  summary: "Invite an account of another org to this one, or whoever has an address.",
  details:
    "No mail is sent: tell the person, who accepts with a token of their own. An address is not proven: whoever has an account and the secret, which is shown once, accepts.",
  args: {
    account: {
      summary: "The account's id, as GET /v1/account shows it to its owner; or an address.",
    },
  },
  flags: {
    role: {
      value: "ROLE",
      isRepeatable: true,
      isRequired: true,
      summary: "A role that it gets: a managed role's name, or a role's id.",
    },
    expires: { value: "DURATION", summary: "How long it can be accepted (default: 7d)." },
  },
  examples: [
    { does: "Invite a builder.", run: "svc invite create acc_… --role org_builder" },
    {
      does: "Invite somebody whose account you do not know.",
      run: "svc invite create ann@example.com --role org_builder",
    },
  ],
  run: async ({ args: { account }, flags, call, screen }) => {
    const lives = readDurationNs("--expires", flags.expires);
    const body = {
      ...(account.includes("@") ? { email: account } : { account_id: account }),
      roles: [...flags.role],
      ...(lives !== undefined && { expires_in: lives }),
    };
    const made = await call(createInviteRoute, { body });
    printItem(screen, made, view);
    sayHow(screen, made.body);
  },
});

const listInvites = defineList({
  name: "invite list",
  summary: "List the org's invitations, newest first.",
  flags: { mine: { summary: "Those of the token's account instead, to whatever org." } },
  examples: [{ does: "See where you are invited.", run: "svc invite list --mine" }],
  view,
  empty: "No invitations.",
  read: async ({ flags, call, page }) =>
    await call(flags.mine ? listOwnInvitesRoute : invites.list, { query: page }),
});

const resendInvite = defineCommand({
  name: "invite resend",
  summary: "Renew an invitation.",
  args,
  flags: {
    expires: { value: "DURATION", summary: "How long it can be accepted (default: 7d)." },
  },
  examples: [{ does: "Let one that expired be accepted.", run: "svc invite resend inv_…" }],
  run: async ({ args: { invite }, flags, call, screen }) => {
    const lives = readDurationNs("--expires", flags.expires);
    const body = lives === undefined ? {} : { expires_in: lives };
    const made = await call(resendInviteRoute, { params: { invite_id: invite }, body });
    printItem(screen, made, view);
    sayHow(screen, made.body);
  },
});

const revokeInvite = defineCommand({
  name: "invite revoke",
  summary: "Revoke an invitation that nobody has accepted.",
  args,
  examples: [{ does: "Take an invitation back.", run: "svc invite revoke inv_…" }],
  run: async ({ args: { invite }, call, screen }) =>
    printItem(screen, await call(revokeInviteRoute, { params: { invite_id: invite } }), view),
});

const acceptInvite = defineCommand({
  name: "invite accept",
  summary: "Accept an invitation, with a token of your own.",
  args,
  flags: {
    proof: {
      value: "FILE",
      summary: "The secret of an invitation to an address; from a file or -.",
    },
  },
  examples: [{ does: "Join the org that invited you.", run: "svc invite accept inv_…" }],
  run: async ({ args: { invite }, flags, call, screen }) => {
    const file = flags.proof;
    const secret = file === undefined ? undefined : (await readInput(file)).trim();
    const request = { params: { invite_id: invite }, body: { secret } };
    const { body, text } = await call(acceptInviteRoute, request);
    printItem(screen, { body, text }, view);
    screen.say(`Act there: svc org get --org ${body.org_id}`);
  },
});

/** The commands of invitations. */
export const inviteCommands = [createInvite, listInvites, acceptInvite, resendInvite, revokeInvite];
