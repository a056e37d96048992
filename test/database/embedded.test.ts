import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type Db } from "../../broker/database/connect.ts";
import { findRuntime } from "../../broker/database/embedded-runtime.ts";
import { findServerUser } from "../../broker/database/embedded-user.ts";
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  eraseEmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../broker/database/embedded.ts";
import { onFreePort } from "../../broker/database/on-free-port.ts";
import { OperatorError } from "../../shared/operator-error.ts";
import { testFolder } from "../support/run/folder.ts";

async function start(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ fsync: false, ...options });
  onTestFinished(async () => await postgres.stop());
  return postgres;
}

function open(url: string): Db {
  const db = connect(url, { max: 1 });
  onTestFinished(async () => await db.end({ timeout: 1 }));
  return db;
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OperatorError);
  return (error as OperatorError).message;
}

/** Starts a server in a process of its own, as `npm start` does. */
async function hold(dataDir: string): Promise<{ holder: ChildProcess; url: string; pid: number }> {
  const script = path.join(
    import.meta.dirname,
    "..",
    "support",
    "database",
    "hold-embedded-postgres.ts",
  );
  const holder = spawn(process.execPath, [script, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const [line] = (await once(createInterface(holder.stdout), "line")) as [string];
  return { holder, ...(JSON.parse(line) as { url: string; pid: number }) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("an embedded Postgres", () => {
  test("keeps what was committed, and is gone when it has stopped, whoever is in the middle of something", async () => {
    const dataDir = await testFolder();
    const first = await startEmbeddedPostgres({ dataDir, fsync: true });
    const db = open(first.url);
    await db`create table kept as select 1 as one`;
    const stuck = await db.reserve();
    await stuck`begin`;
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);

    const second = await start({ dataDir });
    expect(await open(second.url)`select one from kept`).toEqual([{ one: 1 }]);
  });

  test("listens on the loopback address alone and asks for a password", async () => {
    const { url } = await start({ dataDir: await testFolder() });
    const [row] = await open(url)`
      select current_setting('listen_addresses') as host,
             current_setting('unix_socket_directories') as sockets`;
    expect(row).toEqual({ host: "127.0.0.1", sockets: "" });
    const wrong = new URL(url);
    wrong.password = "wrong";
    await expect(open(wrong.href)`select 1`).rejects.toThrow("password authentication failed");
  });

  test("refuses a directory that a living process uses, in one sentence", async () => {
    const dataDir = await testFolder();
    await start({ dataDir });
    const again = await refusal(startEmbeddedPostgres({ dataDir }));
    expect(again).toBe(
      `The data directory ${dataDir} is in use by process ${process.pid}. Stop that process or choose another directory.`,
    );
    expect(await refusal(eraseEmbeddedPostgres(dataDir))).toBe(again);
  });

  test("takes over from a process that was killed, and stops the server it left behind", async () => {
    const dataDir = await testFolder();
    const { holder, url, pid } = await hold(dataDir);
    expect(await refusal(startEmbeddedPostgres({ dataDir }))).toContain(`process ${holder.pid}`);
    await open(url)`create table kept as select 1 as one`;
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(isAlive(pid)).toBe(true);

    const next = await start({ dataDir });
    expect(isAlive(pid)).toBe(false);
    expect(await open(next.url)`select one from kept`).toEqual([{ one: 1 }]);
  });

  test("starts again after its first set-up was cut short", async () => {
    const dataDir = await testFolder();
    await mkdir(path.join(dataDir, "cluster.draft", "base"), { recursive: true });
    await writeFile(path.join(dataDir, "password"), "of the first try");
    const { url } = await start({ dataDir });
    expect(await open(url)`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test("refuses the files of another major version, and says which", async () => {
    const dataDir = await testFolder();
    const { stop, location } = await startEmbeddedPostgres({ dataDir, fsync: false });
    await stop();
    await writeFile(path.join(location, "cluster", "PG_VERSION"), "9\n");
    expect(await refusal(startEmbeddedPostgres({ dataDir }))).toContain("was made by Postgres 9,");
  });

  test("refuses a taken port and gives the directory free", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const dataDir = await testFolder();
    const message = await refusal(startEmbeddedPostgres({ dataDir, port, fsync: false }));
    expect(message).toBe(`Port ${port} on 127.0.0.1 is taken.`);
    await start({ dataDir });
  });

  test("starts on another port when the free one was taken before it had it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const taken = (server.address() as AddressInfo).port;
    const dataDir = await testFolder();
    const tried: number[] = [];
    const ports = async () => await Promise.resolve(tried.length === 0 ? taken : 0);
    const startOn = async (port: number) => {
      tried.push(port);
      return await start({ dataDir, port });
    };
    const { url } = await onFreePort(startOn, ports);
    expect(tried).toEqual([taken, 0]);
    expect(await open(url)`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test("erases everything it made", async () => {
    const dataDir = await testFolder();
    const { stop } = await startEmbeddedPostgres({ dataDir, fsync: false });
    await stop();
    await eraseEmbeddedPostgres(dataDir);
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe("in a folder that other users may not enter", () => {
  test("the server runs, and finds its files again", async () => {
    const dataDir = path.join(await testFolder(0o700), "postgres");
    const first = await startEmbeddedPostgres({ dataDir, fsync: false });
    await open(first.url)`create table kept as select 1 as one`;
    await first.stop();
    const second = await startEmbeddedPostgres({ dataDir, fsync: false });
    expect(await open(second.url)`select one from kept`).toEqual([{ one: 1 }]);
    await second.stop();
    expect(second.location).toBe(first.location);
    await eraseEmbeddedPostgres(dataDir);
    expect(await readdir(dataDir)).toEqual([]);
    expect(await readdir(first.location).catch(() => [])).toEqual([]);
  });

  test("the binaries run, from a copy when they must", async () => {
    const folder = await testFolder(0o700);
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const entry = createRequire(import.meta.url).resolve(name);
    const copy = path.join(folder, "package");
    await cp(path.join(path.dirname(entry), ".."), copy, {
      recursive: true,
      verbatimSymlinks: true,
    });
    const user = await findServerUser(folder);
    const { postgres } = await findRuntime(user, path.join(copy, "dist", "index.js"));
    const { status } = await ran(postgres, user);
    expect(status).toBe(0);
  });
});

async function ran(program: string, user: object | undefined): Promise<{ status: unknown }> {
  const child = spawn(program, ["--version"], { cwd: "/", stdio: "ignore", ...user });
  const [status] = (await once(child, "exit")) as [unknown];
  return { status };
}
