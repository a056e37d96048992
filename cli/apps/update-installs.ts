import type { App } from "../../shared/api/app.ts";
import {
  type InstallUpdate,
  mostUpdated,
  updateInstallsRoute,
} from "../../shared/api/update-installs.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Caller, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { findInstall } from "../installs/find-install.ts";
import { printPage, type View } from "../output/print.ts";
import { appArgs, findApp } from "./find-app.ts";

const updateLine: View<InstallUpdate> = {
  nameOf: ({ install_id: id }) => id,
  columns: {
    INSTALL: ({ install_id: id }) => id,
    OUTCOME: ({ outcome }) => outcome,
    WORKFLOW: ({ workflow_id: id }) => id ?? "",
    WHY: ({ detail }) => detail ?? "",
  },
};

export const updateInstalls = defineCommand({
  name: "app update-installs",
  summary:
    "Update installs of an app to one of its configs: the active one, unless --config names another.",
  details:
    "Each gets its own workflow. A refusal for one install is reported for it; the others continue.",
  codes: [["1", "an install was refused"]],
  args: {
    ...appArgs,
    installs: {
      summary: "The installs, by their names or ids.",
      isOptional: true,
      isRepeatable: true,
      offers: "installs",
    },
  },
  flags: {
    all: { summary: "All installs of the app." },
    config: { value: "CONFIG", summary: "The config's id." },
  },
  examples: [
    {
      does: "Update all installs to the active config.",
      run: "svc app update-installs greeter --all",
    },
    { does: "Only two.", run: "svc app update-installs greeter acme umbrella" },
  ],
  run: async ({ args, flags, call, screen }) => {
    if (flags.all === args.installs.length > 0)
      throw new UsageError("Give either installs or --all.");
    const { body: app } = await findApp(call, args.app);
    const configId = flags.config ?? app.active_config_id;
    if (configId === null)
      throw new UsageError(`${app.name} has no active config.`, "Sync one: svc app sync DIR");
    const items: InstallUpdate[] = [];
    try {
      await updateEach(call, { app, configId, names: args.installs }, items);
    } finally {
      // also what was begun before a request failed
      const body = { items, next_cursor: null };
      const shown = { text: JSON.stringify({ installs: items, next_after: null }), body };
      printPage(screen, shown, { ...updateLine, empty: `${app.name} has no installs.`, more: "" });
    }
    if (items.some(({ outcome }) => outcome === "begun"))
      screen.say("Watch them: svc workflow list --type app_branch_config_update --open --watch");
    const isRefused = items.some(({ outcome }) => outcome === "refused");
    return isRefused ? exitCodes.failed.code : exitCodes.ok.code;
  },
});

type Wanted = {
  readonly app: Pick<App, "id">;
  readonly configId: string;
  /** Without any: all installs. */
  readonly names: readonly string[];
};

/** Appends what became of each to `done`, one request after the other. */
async function updateEach(
  call: Caller,
  { app, configId, names }: Wanted,
  done: InstallUpdate[],
): Promise<void> {
  const params = { app_id: app.id, app_config_id: configId };
  const ids: string[] = [];
  for (const name of names) ids.push((await findInstall(call, name, app.id)).body.id);
  for (let at = 0; at < ids.length; at += mostUpdated) {
    const body = { install_ids: ids.slice(at, at + mostUpdated) };
    done.push(...(await call(updateInstallsRoute, { params, body })).body.installs);
  }
  let after: string | null | undefined = ids.length > 0 ? null : undefined;
  while (after !== null) {
    const body: { update_all: true; after?: string } = {
      update_all: true,
      ...(after !== undefined && { after }),
    };
    const answer: UpdatesAnswer = (await call(updateInstallsRoute, { params, body })).body;
    done.push(...answer.installs);
    after = answer.next_after;
  }
}

type UpdatesAnswer = {
  readonly installs: readonly InstallUpdate[];
  readonly next_after: string | null;
};
