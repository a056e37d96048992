import {
  deleteRegistryLoginRoute,
  loginUses,
  type RegistryLogin,
  registryLogins,
  setRegistryLoginRoute,
} from "../../shared/api/registry-logins.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { readInput } from "../connection/connection.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const loginLine: View<RegistryLogin> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    USE: ({ use }) => use,
    USER: ({ username }) => username,
    SET: ({ updated_at }) => formatAge(updated_at),
  },
};

const listLogins = defineList({
  name: "registry logins list",
  summary: "List the logins that the org has at a registry with users of its own.",
  flags: { use: { value: "USE", choices: loginUses, summary: "Only that of this use." } },
  examples: [{ does: "List them.", run: "svc registry logins list" }],
  view: loginLine,
  empty: "No logins found. Set one: svc registry logins set push --user NAME < FILE",
  read: async ({ flags: { use }, call, page }) =>
    pageOfListing(await call(registryLogins.list, { query: { use, ...pagesOfListing(page) } })),
});

const args = { use: { summary: "push, of runners that build, or pull, of installs." } } as const;

function useIn(text: string): RegistryLogin["use"] {
  const use = loginUses.find((one) => one === text);
  if (use !== undefined) return use;
  throw new UsageError("The use of a login is push or pull.");
}

const setLogin = defineCommand({
  name: "registry logins set",
  summary: "Set a login of the org to the registry; the one of the same use is replaced.",
  details:
    "Where the broker's SVC_REGISTRY_AUTH is fixed. The password comes from standard input or a file; the end of its last line is left out. It is sealed, and cannot be read back. Jobs that build have the push login in their plans: whoever runs them can push everywhere that it opens.",
  args,
  flags: {
    user: { value: "NAME", summary: "Required: the user name." },
    file: { value: "FILE", summary: "The file with the password (default: standard input)." },
  },
  examples: [
    { does: "Set the push login.", run: "svc registry logins set push --user builds < password" },
  ],
  run: async ({ args: { use }, flags: { user, file = "-" }, call, screen }) => {
    if (user === undefined) throw new UsageError("Give the user name with --user NAME.");
    if (file === "-" && process.stdin.isTTY)
      throw new UsageError("Give the password on standard input (< FILE), or by --file.");
    const password = (await readInput(file)).replace(/\r?\n$/, "");
    if (password === "") throw new UsageError("The password is empty.");
    const body = { use: useIn(use), username: user, password };
    const { body: made } = await call(setRegistryLoginRoute, { body });
    screen.say(`The ${made.use} login is ${made.username}.`);
  },
});

const deleteLogin = defineCommand({
  name: "registry logins delete",
  summary: "Delete a login of the org to the registry, and its password.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete the pull login.", run: "svc registry logins delete pull --yes" }],
  run: async ({ args: { use }, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting a login cannot be undone. To confirm, add --yes.");
    const wanted = useIn(use);
    const query = { use: wanted, ...pagesOfListing({}) };
    const [found] = pageOfListing(await call(registryLogins.list, { query })).body.items;
    if (found === undefined) throw new UsageError(`The org has no ${wanted} login.`);
    await call(deleteRegistryLoginRoute, { params: { registry_login_id: found.id } });
    screen.say(`The ${wanted} login ${found.username} is deleted.`);
  },
});

/** The commands of logins that are kept, in the order of help. */
export const keptLoginCommands: readonly Command[] = [listLogins, setLogin, deleteLogin];
