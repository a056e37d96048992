import { type App, apps } from "../../shared/api/app.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { Caller } from "../command.ts";
import type { Page } from "../output/print.ts";

/** The argument of every command of one app. */
export const appArgs = { app: { summary: "The app's name or id.", offers: "apps" } } as const;

/** The app that a name or an id means, and the API's own text of it. */
export async function findApp(
  call: Caller,
  given: string,
): Promise<{ readonly text: string; readonly body: App }> {
  if (given.startsWith("app_")) return await call(apps.get, { params: { app_id: given } });
  const found = await findAppByName(call, given);
  if (found === undefined)
    throw new UsageError(`There is no app ${given}.`, "List them: svc app list");
  return await call(apps.get, { params: { app_id: found.id } });
}

/** The app of this name, if there is one. */
export async function findAppByName(call: Caller, name: string): Promise<App | undefined> {
  const { body } = toPage(await call(apps.list, { query: { name, limit: "1", cursor: "" } }));
  return body.items[0];
}

type Listed<Item> = {
  readonly text: string;
  readonly body:
    | readonly Item[]
    | { readonly items: readonly Item[]; readonly next_cursor: string | null };
};

/** A list that was asked for with a cursor, which is a page. */
export function toPage<Item>({ text, body }: Listed<Item>): Page<Item> {
  return { text, body: "items" in body ? body : { items: body, next_cursor: null } };
}
