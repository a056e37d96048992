import { once } from "node:events";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readPresence } from "../../agent/paths/data-dir.ts";
import { findProgram } from "../../agent/processes/find-program.ts";
import { emptyDatabase, testDatabase } from "../support/database/database.ts";
import { svcSource } from "../support/programs/present-programs.ts";
import { type RunningSvc, startSvc, svc, type SvcOptions } from "../support/programs/svc.ts";
import { takeTour } from "../support/programs/take-tour.ts";
import { testFolder } from "../support/run/folder.ts";

type Ready = {
  readonly url: string;
  readonly org_id: string;
  readonly runner_id: string;
  readonly admin_token: string;
  readonly runner_token: string;
};

/** Starts `svc dev --json` without an agent, and the built program, unless told, and waits for its line. */
async function startDev(
  args: readonly string[],
  options: SvcOptions = {},
  { hasAgent }: { readonly hasAgent: boolean } = { hasAgent: false },
): Promise<{ dev: RunningSvc; ready: Ready }> {
  const own = hasAgent ? [] : ["--no-agent"];
  const dev = startSvc(["dev", "--json", "--port", "0", ...own, ...args], options);
  await expect.poll(() => dev.said.out || dev.said.err).toMatch(/\{"url".+\n/);
  return { dev, ready: JSON.parse(dev.said.out) as Ready };
}

async function stop(dev: RunningSvc, signal: NodeJS.Signals = "SIGINT"): Promise<void> {
  dev.kill(signal);
  const { code, out } = await dev.ended;
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n")).toHaveLength(1);
}

async function statusOf(url: string, token: string, way = "/v1/runner-jobs"): Promise<number> {
  return (await fetch(url + way, { headers: { authorization: `Bearer ${token}` } })).status;
}

/** Files a webhook to a receiver on this machine; answers the status. */
async function fileWebhook({ url, admin_token }: Ready): Promise<number> {
  const body = JSON.stringify({ webhook_url: "http://127.0.0.1:3000/hooks" });
  const headers = { authorization: `Bearer ${admin_token}`, "content-type": "application/json" };
  const to = `${url}/v1/orgs/current/webhooks`;
  return (await fetch(to, { method: "POST", headers, body })).status;
}

async function takenPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await expect.poll(() => server.listening).toBe(true);
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? String(address.port) : "";
}

describe("svc dev with its own Postgres", () => {
  test("makes all at its first start, finds it at the next, and anew after --reset", async () => {
    const dataDir = await testFolder();
    const args = ["--data-dir", dataDir];
    const fromSource = { main: svcSource }; // which Postgres is packed with
    const { dev: first, ready } = await startDev(args, fromSource);
    expect(Object.keys(ready)).toEqual([
      "url",
      "org_id",
      "runner_id",
      "admin_token",
      "runner_token",
      "builds_runner_id",
      "builds_runner_token",
    ]);
    const { url, runner_id, admin_token, runner_token } = ready;
    expect(await statusOf(url, admin_token)).toBe(200);
    expect(await statusOf(url, runner_token, `/v1/runners/${runner_id}`)).toBe(200);
    expect((await stat(path.join(dataDir, "dev.json"))).mode & 0o777).toBe(0o600);
    const made = await svc(
      ["job", "create", "--runner", runner_id, "--type", "noop", "-o", "name"],
      {
        env: { SVC_DATA_DIR: dataDir },
      },
    );
    expect(made.out).toMatch(/^job_/);
    // A parked poll does not hold up the stop: it is answered, which by itself would be after 25 s, past the deadline.
    const parked = statusOf(url, runner_token, `/v1/runners/${runner_id}/jobs/tail?group=deploy`);
    const metrics = async () => await (await fetch(`${url}/metrics`)).text();
    await expect.poll(metrics).toMatch(/^svc_parked_polls 1$/m);
    const both = await Promise.all([parked, stop(first)]);
    expect(both[0]).toBe(200);

    const { dev: second, ready: again } = await startDev(args, fromSource);
    expect({ ...again, url }).toEqual(ready);
    const list = await svc(["job", "list", "-o", "name"], { env: { SVC_DATA_DIR: dataDir } });
    expect(list.out).toBe(made.out);
    const taken = await svc(["dev", "--port", "0", ...args], fromSource);
    expect(taken).toMatchObject({ code: 1, out: "" });
    expect(taken.err).toMatch(
      /^(Starting Postgres …\n)?The data directory .+ is in use by process \d+\. .+ --data-dir\.\n$/,
    );
    await stop(second, "SIGTERM");

    const { dev: third, ready: anew } = await startDev([...args, "--reset"], fromSource);
    expect(anew.org_id).not.toBe(ready.org_id);
    expect(await statusOf(anew.url, admin_token)).toBe(401);
    expect(await statusOf(anew.url, anew.admin_token)).toBe(200);
    await stop(third);
  });
});

describe("svc dev over DATABASE_URL", () => {
  test("starts no Postgres of its own, seeds the database once, and calls this machine unless told", async () => {
    const dataDir = await testFolder();
    const env = { DATABASE_URL: (await emptyDatabase()).url };
    const args = ["--data-dir", dataDir];
    const { dev: first, ready } = await startDev(args, { env });
    expect(await fileWebhook(ready)).toBe(201);
    await stop(first);
    expect(await stat(path.join(dataDir, "cluster")).catch(() => "none")).toBe("none");

    const { dev: second, ready: again } = await startDev(args, {
      env: { ...env, SVC_EGRESS: "strict" },
    });
    expect({ ...again, url: ready.url }).toEqual(ready);
    expect(await fileWebhook(again)).toBe(422);
    await stop(second);

    await rm(path.join(dataDir, "dev.json"));
    const { dev: third, ready: lost } = await startDev(args, { env });
    const ids = ["org_id", "runner_id", "builds_runner_id"];
    for (const id of ids) expect(Reflect.get(lost, id)).toBe(Reflect.get(ready, id));
    expect(lost.admin_token).not.toBe(ready.admin_token);
    expect(await statusOf(lost.url, lost.admin_token)).toBe(200);
    await stop(third);
  });

  test("shows a person where it is, a job done, and commands that work", async () => {
    const dataDir = await testFolder();
    const env = { DATABASE_URL: (await emptyDatabase()).url };
    const dev = startSvc(["dev", "--port", "0", "--data-dir", dataDir], { env, main: svcSource });
    await expect.poll(() => dev.said.out + dev.said.err).toContain("Ctrl-C stops it");
    const { out } = dev.said;
    const { admin_token, runner_token, url } = JSON.parse(
      await readFile(path.join(dataDir, "dev.json"), "utf8"),
    ) as Ready;
    for (const told of [url, admin_token, runner_token]) expect(out).toContain(told);
    expect(out).toMatch(/enqueued {2}job_\w+\n[\s\S]+ finished after [\s\S]+ answer = "42"\n/);
    const shown = [...out.matchAll(/^ {2}(SVC_DATA_DIR=\S+) svc (.+)$/gm)];
    const search = process.env["PATH"] ?? "";
    const hasTerraform = (await findProgram("terraform", { cwd: "/", search })) !== undefined;
    const tourAt = shown.findIndex(([, , line]) => line?.startsWith("app sync"));
    const tour = shown.splice(tourAt).map(([, , line = ""]) => line);
    expect(shown).toHaveLength(hasTerraform ? 4 : 3);
    expect(out.includes("svc terraform apply examples/terraform-hello")).toBe(hasTerraform);
    for (const [, , line = ""] of shown) {
      const result = await svc(line.split(" "), {
        env: { SVC_DATA_DIR: dataDir },
        input: "yes\n", // terraform asks
      });
      expect(result.code).toBe(0);
      expect(result.out).not.toBe("");
    }
    const heard = await takeTour(tour, dataDir, hasTerraform);
    expect(heard()).toMatch(/step approve greet requested[^]+step approve greet approved/);
    expect(await readFile(path.join(dataDir, "broker.log"), "utf8")).not.toContain(admin_token);
    dev.kill("SIGINT");
    expect(await dev.ended).toMatchObject({ code: 0 });
  });

  test("starts its agent again when that dies, and takes it along when it stops", async () => {
    const dataDir = await testFolder();
    const env = { DATABASE_URL: (await testDatabase()).url };
    const { dev } = await startDev(["--data-dir", dataDir], { env }, { hasAgent: true });
    const pid = async (): Promise<number> => {
      const presence = await readPresence(path.join(dataDir, "agent"));
      return presence?.watch_url == null ? 0 : presence.pid; // once it works
    };
    await expect.poll(pid).toBeGreaterThan(0);
    const first = await pid();
    process.kill(first, "SIGKILL");
    await expect.poll(async () => ![0, first].includes(await pid())).toBe(true);
    expect(dev.said.err).toContain(
      "The agent ended (killed). Its log says more; it is started again.",
    );
    await stop(dev);
    expect(await pid()).toBe(0);
    expect(await readFile(path.join(dataDir, "agent.log"), "utf8")).toContain("agent started");
  });

  test("says in one sentence that the port is taken, and leaves nothing running", async () => {
    const env = { DATABASE_URL: (await testDatabase()).url };
    const port = await takenPort();
    const refused = await svc(["dev", "--port", port, "--data-dir", await testFolder()], { env });
    expect(refused).toEqual({
      code: 1,
      out: "",
      err:
        `Port ${port} on 127.0.0.1 is taken by another program. ` +
        "Stop that one, or choose another port with --port.\n",
    });
  });

  test("ends at once on a second Ctrl-C", async () => {
    const env = { DATABASE_URL: (await testDatabase()).url };
    const { dev, ready } = await startDev(["--data-dir", await testFolder()], { env });
    // a body that never comes keeps the broker waiting
    const headers = { authorization: `Bearer ${ready.admin_token}`, expect: "100-continue" };
    const hanging = request(`${ready.url}/v1/orgs`, { method: "POST", headers });
    hanging.on("error", () => {}).flushHeaders();
    await once(hanging, "continue");
    dev.kill("SIGINT");
    const said = async (): Promise<string> =>
      await fetch(`${ready.url}/readyz`).then(
        async (answer) => await answer.text(),
        () => "draining: no connection is taken",
      );
    await expect.poll(said).toContain("draining");
    // While it stands still it cannot come to its end before the second key, however late that is.
    dev.kill("SIGSTOP");
    const stoodMs = performance.now();
    await expect.poll(() => performance.now() - stoodMs).toBeGreaterThan(500); // sooner, it is one key
    dev.kill("SIGINT");
    dev.kill("SIGCONT");
    expect(await dev.ended).toMatchObject({ code: 130 });
  });

  test("does not erase a database that is not its own", async () => {
    const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    const refused = await svc(["dev", "--reset", "--data-dir", await testFolder()], { env });
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("--reset only deletes the embedded Postgres.");
  });
});

test("a data directory that cannot be made gets one sentence", async () => {
  const file = path.join(await testFolder(), "file");
  await writeFile(file, "");
  const refused = await svc(["dev", "--json", "--data-dir", path.join(file, "below")]);
  expect(refused).toEqual({
    code: 1,
    out: "",
    err: `${path.join(file, "below")} cannot be used: not a directory.\n`,
  });
});
