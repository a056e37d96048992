import path from "node:path";
import { expect, test } from "vitest";
import { emptyDatabase } from "../support/database/database.ts";
import { svcSource } from "../support/programs/present-programs.ts";
import { startSvc, svc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

test("nothing in the folder of svc dev needs a flag that says where, as whom or on which runner", async () => {
  const dataDir = await testFolder();
  const env = { SVC_DATA_DIR: dataDir };
  const dev = startSvc(["dev", "--json", "--port", "0"], {
    env: { ...env, DATABASE_URL: (await emptyDatabase()).url },
    main: svcSource,
  });
  await expect.poll(() => dev.said.out + dev.said.err).toMatch(/\{"url".+\n/);
  const { runner_id: runnerId } = JSON.parse(dev.said.out) as { runner_id: string };
  const run = async (...words: string[]) => await svc(words, { env, input: "yes\n" });

  const ran = await run("job", "run", "--", "echo", "hello");
  expect(ran.code).toBe(0);
  expect(ran.out).toContain("hello\n");
  const created = await run("job", "create", "--type", "noop", "-o", "name");
  const jobId = created.out.trim();
  expect(jobId).toMatch(/^job_/);
  expect(await run("job", "wait", jobId, "--exit-status")).toMatchObject({ code: 0 });
  const lines = [
    "auth status",
    "org get",
    "org list",
    "token list",
    "audit list",
    "role list",
    "profile list",
    "runner list",
    "runner get",
    "process list",
    "group list",
    "rollout list",
    "job list",
    `job get ${jobId}`,
    `execution list ${jobId}`,
    `log show ${jobId}`,
    "queue list",
    "emitter list",
    "workspace list",
    "release list",
    "stats",
    "stats jobs",
    "dashboard",
    "doctor",
    "api GET /v1/runners",
  ];
  const results = await Promise.all(
    lines.map(async (line) => ({ line, ...(await run(...line.split(" "))) })),
  );
  expect(results.filter(({ code }) => code !== 0)).toEqual([]);
  const said = new Map(results.map(({ line, out }) => [line, out]));
  expect(said.get("runner get")).toContain(runnerId);
  expect(said.get("process list")).toMatch(/\nprc_/);
  expect(said.get("profile list")).toMatch(/\ndev +yes /);
  // A saved profile does not stand in the way.
  const other = { ...env, XDG_CONFIG_HOME: path.join(dataDir, "home"), SVC_PROFILE: "dev" };
  expect(await svc(["runner", "get"], { env: other })).toMatchObject({ code: 0 });
  dev.kill("SIGINT");
  expect(await dev.ended).toMatchObject({ code: 0 });
});
