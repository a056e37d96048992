import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenManagedHost, type ManagedHost } from "../../support/mng/given-managed-host.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const read = async (file: string): Promise<string> => (await readFile(file, "utf8")).trim();

type Shown = { readonly id: string; readonly replaced_by: string | null; readonly used_at: string };

async function show(token: string): Promise<{ status: number; body: Shown }> {
  return await fleet.broker.call<Shown>("GET /v1/tokens/current", { token });
}

async function revoke(host: ManagedHost, token: string): Promise<void> {
  const { id } = (await show(token)).body;
  await fleet.broker.call(`DELETE /v1/tokens/${id}`, { token: host.operatorToken });
  await until(async () => (await show(token)).status === 401);
}

/** Kills the program right before it has written this file, as nothing can be handled. */
const killedBefore = (file: string): string => {
  const source = `
    import files from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    const { rename } = files;
    files.rename = async (from, to) => {
      if (to === ${JSON.stringify(file)}) process.kill(process.pid, "SIGKILL");
      await rename(from, to);
    };
    syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(source)}`;
};

/** A management process that has enrolled long ago, and an agent with a copy of its token. */
async function setup() {
  const [dataDir, folder] = [await testFolder(0o755), await testFolder(0o755)];
  const agents = path.join(folder, "agent-token");
  const host = await givenManagedHost(fleet, { "token-file": agents });
  await writeFile(agents, host.token, { mode: 0o600 });
  const enrolled = path.join(dataDir, "enrolled.json");
  const enrol = async (token: string, daysLeft: number): Promise<void> => {
    const expires_at = new Date(Date.now() + daysLeft * 86_400_000).toISOString();
    const kept = { token, runner_id: host.runnerId, enrolled_by: "", expires_at };
    await writeFile(enrolled, JSON.stringify(kept));
  };
  await enrol(host.token, 80);
  const settings = {
    "data-dir": dataDir,
    "token-file": path.join(folder, "none"),
    "mng-agent-token-file": agents,
  };
  const start = (more: Readonly<Record<string, string>> = {}, env = {}) =>
    host.startMng({ ...settings, ...more }, env);
  const own = async (): Promise<string> =>
    (JSON.parse(await readFile(enrolled, "utf8")) as { token: string }).token;
  return { host, dataDir, agents, enrol, start, own };
}

describe("an agent that shares its management process's token", () => {
  test("has the new one when that is rotated because it ends soon, and goes on", async () => {
    const { host, agents, enrol, start, own } = await setup();
    await enrol(host.token, 5);
    start();
    const first = await host.agentUp();
    await until(async () => (await read(agents)) !== host.token);
    const made = await own();
    expect(await read(agents)).toBe(made);
    expect((await show(made)).body.replaced_by).toBeNull();
    await revoke(host, host.token);
    expect(await host.run({ type: "noop" })).toMatchObject({ status: "finished" });
    expect((await host.agentUp()).id).toBe(first.id);
  });

  test("loses nothing by a kill between the two files, however long nobody starts it again", async () => {
    const { host, agents, enrol, start, own } = await setup();
    await enrol(host.token, 5);
    const killed = start({}, { NODE_OPTIONS: killedBefore(agents) });
    expect(await killed.ended).toBe("SIGKILL");
    const made = await own();
    expect([await read(agents), made]).toEqual([host.token, expect.not.stringMatching(host.token)]);
    // Nobody has used the new one, so the one before does not end.
    const rows = await fleet.db`
      select old.expires_at, new.used_at from tokens old join tokens new on new.id = old.replaced_by
       where old.runner_id = ${host.runnerId}`;
    expect(rows).toEqual([{ expires_at: null, used_at: null }]);
    // The next start gives it on before it has a broker.
    const alone = start({ "broker-url": "http://127.0.0.1:9" });
    await until(async () => (await read(agents)) === made);
    alone.kill("SIGKILL");
    await alone.ended;
    start();
    await host.agentUp();
    expect(await read(agents)).toBe(made);
  });

  test("has the present one, where an earlier rotation or somebody left one that ends or is refused", async () => {
    const { host, agents, dataDir, enrol, start, own } = await setup();
    const mng = start();
    await host.agentUp();
    mng.kill("SIGKILL");
    await mng.ended;
    const rotated = await fleet.broker.call<{ secret: string }>("POST /v1/tokens/current/rotate", {
      token: host.token,
    });
    await enrol(rotated.body.secret, 80);
    await rm(path.join(dataDir, "shared-token"), { force: true });
    const second = start();
    await until(async () => (await read(agents)) === rotated.body.secret);
    second.kill("SIGKILL");
    await second.ended;
    const refused = await givenToken(fleet.db, host);
    await revoke(host, refused);
    await writeFile(agents, refused);
    start();
    await until(async () => (await read(agents)) === (await own()));
  });

  test("keeps a token of its own", async () => {
    const { host, agents, start } = await setup();
    const others = await givenToken(fleet.db, host);
    await writeFile(agents, others);
    start();
    await host.agentUp();
    expect((await host.run({ type: "mng-runner-restart" })).status).toBe("finished");
    expect(await read(agents)).toBe(others);
  });
});
