import { type Install, installs } from "../../shared/api/install.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { toPage } from "../apps/find-app.ts";
import type { Caller } from "../command.ts";

/** The argument of every command of one install. */
export const installArgs = {
  install: { summary: "The install's name or id.", offers: "installs" },
} as const;

/** The install that a name or an id means, of this app if one is told, and the API's own text of it. */
export async function findInstall(
  call: Caller,
  given: string,
  appId?: string,
): Promise<{ readonly text: string; readonly body: Install }> {
  const read = (id: string) => call(installs.get, { params: { install_id: id } });
  if (given.startsWith("ins_")) return await read(given);
  const query = { name: given, app_id: appId, limit: "2", cursor: "" };
  const { items } = toPage(await call(installs.list, { query })).body;
  const [first, second] = items;
  if (first === undefined)
    throw new UsageError(`There is no install ${given}.`, "List them: svc install list");
  if (second !== undefined)
    throw new UsageError(`Several apps have an install ${given}.`, "Give its id: svc install list");
  return await read(first.id);
}
