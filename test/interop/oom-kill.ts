// `npm run oom-kill`: needs root and a memory cgroup that can be made; apart from `npm test`, which needs neither.
import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openConnection, requestText } from "../../bench/http-client.ts";
import { givenFleet } from "../../bench/support/given-fleet.ts";
import { enqueue, startLoneAgent } from "../../bench/support/lone-agent.ts";
import { withStage } from "../../bench/support/stage.ts";

const eats = "const a = []; for (let n = 0; n < 4096; n++) a.push(Buffer.alloc(1 << 20, 1));";
const limit = "300M";
const agentProgram = path.join(import.meta.dirname, "..", "..", "agent", "main.ts");

const scenes = [
  { name: "the step itself", argv: [process.execPath, "-e", eats] },
  {
    name: "a child of the step",
    argv: ["bash", "-c", '"$0" -e "$1"; exit "$?"', process.execPath, eats],
  },
];

const cgroup = await makeCgroup();
try {
  await withStage(async ({ db, startBroker }) => {
    const { url } = await startBroker();
    const fleet = await givenFleet(db, 1, 1);
    const [first] = fleet.agents;
    assert(first !== undefined);
    const agent = await startLoneAgent({ url, program: agentProgram }, first);
    await writeFile(path.join(cgroup, "cgroup.procs"), String(agent.pid));
    const connection = await openConnection(url);
    for (const { name, argv } of scenes) {
      const plan = { steps: [{ name: "eater", argv }] };
      const job = JSON.stringify({ type: "actions-workflow", group: "deploy", plan });
      const jobId = await enqueue(connection, { fleet, agent: first }, job);
      const wait = `GET /v1/runner-jobs/${jobId}/wait?wait=25s`;
      const { body } = await connection.send(requestText(wait, fleet.adminToken));
      const ended = JSON.parse(body) as { status: string; status_description: string };
      process.stdout.write(`${name}: ${ended.status}: ${ended.status_description}\n`);
      assert.equal(ended.status, "failed");
      assert.match(ended.status_description, /the kernel killed it because memory ran out/);
    }
    connection.close();
    await agent.end();
  });
} finally {
  await rmdir(cgroup);
}

/** A cgroup beside or below this process's own that may use so much memory; of version 2 where memory is counted there. */
async function makeCgroup(): Promise<string> {
  const groups = await readFile("/proc/self/cgroup", "utf8");
  const second = path.join("/sys/fs/cgroup", /^0::(.+)$/m.exec(groups)?.[1] ?? "", "..");
  if (existsSync(path.join(second, "memory.max"))) return await limited(second, "memory.max");
  const first = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.+)$/m.exec(groups)?.[1] ?? "";
  const own = path.join("/sys/fs/cgroup/memory", first);
  return await limited(own, "memory.limit_in_bytes");
}

async function limited(parent: string, file: string): Promise<string> {
  const made = path.join(parent, `svc-oom-${process.pid}`);
  await mkdir(made);
  await writeFile(path.join(made, file), limit);
  return made;
}
