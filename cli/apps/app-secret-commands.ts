import {
  deleteAppSecretRoute,
  setAppSecretRoute,
  type AppSecret,
  appSecrets,
} from "../../shared/api/app-secrets.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { readInput } from "../connection/connection.ts";
import { defineList } from "../lists/define-list.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import { appArgs, findApp, toPage } from "./find-app.ts";

const secretLine: View<AppSecret> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    LENGTH: ({ length }) => String(length),
    SET: ({ updated_at }) => formatAge(updated_at),
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

const args = { ...appArgs, name: { summary: "The secret's name." } } as const;

export const listAppSecrets = defineList({
  name: "app secret list",
  summary: "List an app's secrets, without their values.",
  args: appArgs,
  flags: { name: { value: "NAME", summary: "Only the secret of this name." } },
  examples: [{ does: "List the secrets of an app.", run: "svc app secret list greeter" }],
  view: secretLine,
  empty: "No secrets found. Set one: svc app secret set APP NAME < FILE",
  read: async ({ args, flags: { name }, call, page }) => {
    const params = { app_id: (await findApp(call, args.app)).body.id };
    const query = { name, limit: page.limit, cursor: page.cursor ?? "" };
    return toPage(await call(appSecrets.list, { params, query }));
  },
});

export const setAppSecret = defineCommand({
  name: "app secret set",
  summary: "Set a secret of an app; one of the same name is replaced.",
  details:
    "The value comes from standard input or a file, never from the command line; the end of its last line is left out. " +
    "It is sealed, and cannot be read back.",
  args,
  flags: { file: { value: "FILE", summary: "The file with the value (default: standard input)." } },
  examples: [
    { does: "Set one from a file.", run: "svc app secret set greeter license-key < license.txt" },
    {
      does: "The same by its name.",
      run: "svc app secret set greeter license-key --file license.txt",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { file = "-" } = flags;
    if (file === "-" && process.stdin.isTTY)
      throw new UsageError("Give the value on standard input (< FILE), or by --file.");
    const value = (await readInput(file)).replace(/\r?\n$/, "");
    if (value === "") throw new UsageError("The value is empty.");
    const { body: app } = await findApp(call, args.app);
    const { text, body } = await call(setAppSecretRoute, {
      params: { app_id: app.id },
      body: { name: args.name, value },
    });
    if (screen.format === "json" || screen.format === "ndjson") screen.out(text);
    else if (screen.format === "name") screen.out(body.id);
    const what = body.replaced ? "has a new value" : "is set";
    screen.say(`${app.name}: the secret ${body.name} ${what}.`);
  },
});

export const deleteAppSecret = defineCommand({
  name: "app secret delete",
  summary: "Delete a secret of an app, and its value.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete a secret.", run: "svc app secret delete greeter license-key --yes" }],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting a secret cannot be undone. To confirm, add --yes.");
    const { body: app } = await findApp(call, args.app);
    const params = { app_id: app.id };
    const query = { name: args.name, limit: "1", cursor: "" };
    const [found] = toPage(await call(appSecrets.list, { params, query })).body.items;
    if (found === undefined)
      throw new UsageError(
        `${app.name} has no secret ${args.name}.`,
        `List them: svc app secret list ${app.name}`,
      );
    await call(deleteAppSecretRoute, { params: { ...params, secret_id: found.id } });
    screen.say(`The secret ${found.name} of ${app.name} is deleted.`);
  },
});
