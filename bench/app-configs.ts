import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openConfigFolder } from "../cli/apps/open-config-folder.ts";
import { checkConfigFolder, type ValidConfig } from "../shared/app-config/check-config.ts";
import { filesOfDocument } from "../shared/app-config/files-of-document.ts";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { withStage } from "./support/stage.ts";
import { vendorConfig, wholeFiles } from "./support/vendor-config.ts";

const times = 5;
const mostMs = { validate: 300, sync: 1_000 } as const;

/** A config of 200 files: its check as `svc app validate` does it, in a process that runs, and its sync, each time changed. */
export const appConfigs: Bench = {
  what: `a config of ${wholeFiles} files: its check in a running process, and its sync by a running broker`,
  run: async (_, tell) => {
    const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-config-"));
    try {
      const checks: number[] = [];
      const syncs: number[] = [];
      await withStage(async (stage) => {
        const { adminToken } = await givenFleet(stage.db, 1, 1);
        const broker = await stage.startBroker();
        const connection = await openConnection(broker.url);
        const app = await created(connection, adminToken);
        // The first of each is for what a process loads once.
        for (let nth = 0; nth <= times; nth++) {
          await write(folder, nth);
          const from = performance.now();
          const config = await checked(folder);
          const checkedAt = performance.now();
          await synced(connection, { adminToken, app }, config);
          if (nth === 0) continue;
          checks.push(checkedAt - from);
          syncs.push(performance.now() - checkedAt);
        }
        connection.close();
      });
      const figures = { validate: checks, sync: syncs };
      for (const [what, ms] of Object.entries(figures) as [keyof typeof mostMs, number[]][]) {
        const note = `of ${times}: ${ms.map((one) => one.toFixed(0)).join(", ")} ms`;
        const target = { atMost: mostMs[what] };
        tell({ figure: `${what}, median`, value: quantile(ms, 0.5), unit: "ms", target, note });
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function write(folder: string, nth: number): Promise<void> {
  for (const [name, text] of vendorConfig(nth)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

async function checked(folder: string): Promise<ValidConfig> {
  const { config, errors } = await checkConfigFolder(await openConfigFolder(folder));
  if (config === undefined)
    throw new Error(`the config is not valid: ${JSON.stringify(errors[0])}`);
  return config;
}

async function created(connection: Connection, token: string): Promise<string> {
  const { status, body } = await connection.send(
    requestText("POST /v1/apps", token, JSON.stringify({ name: "large" })),
  );
  if (status !== 201) throw new Error(`the app was answered with ${status}`);
  return (JSON.parse(body) as { id: string }).id;
}

async function synced(
  connection: Connection,
  { adminToken, app }: { readonly adminToken: string; readonly app: string },
  { document }: ValidConfig,
): Promise<void> {
  const body = JSON.stringify(filesOfDocument(document));
  const what = `POST /v1/apps/${app}/configs/sync`;
  const { status } = await connection.send(requestText(what, adminToken, body));
  if (status !== 201) throw new Error(`a sync was answered with ${status}`);
}
