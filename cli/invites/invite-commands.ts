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
import { readDurationNs } from "../flags/read-flags.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem, type View } from "../output/print.ts";

const view: View<Invite> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    ORG: ({ org_name: name }) => name,
    ACCOUNT: ({ account_id: id }) => id,
    STATE: ({ status }) => status,
    UNTIL: ({ expires_at: at }) => at,
  },
};

const args = { invite: { summary: "The invitation's id." } } as const;

const createInvite = defineCommand({
  name: "invite create",
  summary: "Invite an account of another org to this one.",
  details: "No mail is sent: tell the person, who accepts with a token of their own.",
  args: { account: { summary: "The account's id, as GET /v1/account shows it to its owner." } },
  flags: {
    role: {
      value: "ROLE",
      isRepeatable: true,
      isRequired: true,
      summary: "A role that it gets: a managed role's name, or a role's id.",
    },
    expires: { value: "DURATION", summary: "How long it can be accepted (default: 7d)." },
  },
  examples: [{ does: "Invite a builder.", run: "svc invite create acc_… --role org_builder" }],
  run: async ({ args: { account }, flags, call, screen }) => {
    const lives = readDurationNs("--expires", flags.expires);
    const body = {
      account_id: account,
      roles: [...flags.role],
      ...(lives !== undefined && { expires_in: lives }),
    };
    const made = await call(createInviteRoute, { body });
    printItem(screen, made, view);
    screen.say(`To accept it: svc invite accept ${made.body.id}`);
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
    const params = { invite_id: invite };
    printItem(screen, await call(resendInviteRoute, { params, body }), view);
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
  examples: [{ does: "Join the org that invited you.", run: "svc invite accept inv_…" }],
  run: async ({ args: { invite }, call, screen }) => {
    const { body, text } = await call(acceptInviteRoute, { params: { invite_id: invite } });
    printItem(screen, { body, text }, view);
    screen.say(`Act there: svc org get --org ${body.org_id}`);
  },
});

/** The commands of invitations. */
export const inviteCommands = [createInvite, listInvites, acceptInvite, resendInvite, revokeInvite];
