import { accountTypes } from "../../shared/api/account-types.ts";
import {
  type OrgAccount,
  createAccountRoute,
  getAccountRoute,
  listAccountsRoute,
  removeAccountRoute,
  setAccountRolesRoute,
} from "../../shared/api/accounts.ts";
import { defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { formatAge } from "../output/format-age.ts";
import { printItem, type View } from "../output/print.ts";

const nameOf = ({ id }: OrgAccount): string => id;
const rolesOf = ({ roles }: OrgAccount): string =>
  roles.map(({ title, role_type: type }) => title || type).join(", ");

const accountLine: View<OrgAccount> = {
  nameOf,
  columns: {
    ID: nameOf,
    NAME: ({ name, email }) => name || email,
    TYPE: ({ account_type: type }) => type,
    ROLES: rolesOf,
    AGE: ({ created_at: at }) => formatAge(at),
  },
};

const accountDetails: View<OrgAccount> = {
  nameOf,
  columns: {
    account: nameOf,
    type: ({ account_type: type }) => type,
    name: ({ name }) => name,
    email: ({ email }) => email,
    roles: rolesOf,
    permissions: ({ permissions }) => permissions.join("\n"),
  },
};

const args = { account: { summary: "The account's id." } } as const;
const role = {
  value: "ROLE",
  isRepeatable: true,
  isRequired: true,
  summary: "A role that it has: a managed role's name, or a role's id.",
} as const;

const listAccounts = defineList({
  name: "account list",
  summary: "List the accounts that have a role in the org, newest first.",
  flags: {
    type: { value: "TYPE", choices: accountTypes, summary: "Only accounts of this type." },
    query: { value: "TEXT", summary: "Only those with this in their name or email." },
  },
  examples: [{ does: "See who may do what.", run: "svc account list" }],
  view: accountLine,
  empty: "No accounts.",
  read: async ({ flags: { type, query: q }, call, page }) =>
    await call(listAccountsRoute, { query: { ...page, type, q } }),
});

const getAccount = defineCommand({
  name: "account get",
  summary: "Show an account: its roles, and what they permit.",
  args,
  examples: [{ does: "See what an account may do.", run: "svc account get acc_…" }],
  run: async ({ args: { account }, call, screen }) =>
    printItem(
      screen,
      await call(getAccountRoute, { params: { account_id: account } }),
      accountDetails,
    ),
});

const createAccount = defineCommand({
  name: "account create",
  summary: "Create an account of a program in the org.",
  details: "People come by invitation (svc invite create), or by the org's sign-in provider.",
  args: { name: { summary: "Its name." } },
  flags: { role },
  examples: [
    { does: "Create one for a pipeline.", run: "svc account create pipeline --role org_builder" },
  ],
  run: async ({ args: { name }, flags, call, screen }) => {
    const body = { account_type: "service" as const, name, roles: [...flags.role] };
    printItem(screen, await call(createAccountRoute, { body }), accountDetails);
  },
});

const setRoles = defineCommand({
  name: "account roles",
  summary: "Replace the roles that an account has in the org.",
  details: "You can give no role that permits more than you may. It counts within a second.",
  args,
  flags: { role },
  examples: [
    { does: "Let someone only read.", run: "svc account roles acc_… --role org_read_only" },
  ],
  run: async ({ args: { account }, flags, call, screen }) => {
    const params = { account_id: account };
    const body = { roles: [...flags.role] };
    printItem(screen, await call(setAccountRolesRoute, { params, body }), accountDetails);
  },
});

const removeAccount = defineCommand({
  name: "account remove",
  summary: "Remove an account from the org: its roles, and its tokens of the org.",
  args,
  examples: [{ does: "Remove someone who left.", run: "svc account remove acc_…" }],
  run: async ({ args: { account }, call, screen }) => {
    await call(removeAccountRoute, { params: { account_id: account } });
    screen.say(`Removed ${account}. To have it back: svc invite create ${account}`);
  },
});

/** The commands of accounts. */
export const accountCommands = [listAccounts, getAccount, createAccount, setRoles, removeAccount];
