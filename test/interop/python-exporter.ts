// `npm run interop`: needs python3 and a package index; apart from `npm test`, which needs neither.
import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { withStage } from "../../bench/support/stage.ts";
import { newId } from "../../broker/database/new-id.ts";
import { storedRecords } from "../support/logs/otlp-logs.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenJob, givenRunner } from "../support/rows/given.ts";

const run = promisify(execFile);
const count = 250;
const folder = await mkdtemp(path.join(tmpdir(), "svc-interop-"));
try {
  await run("python3", ["-m", "venv", folder]);
  const python = path.join(folder, "bin", "python");
  await run(python, ["-m", "pip", "install", "--quiet", "opentelemetry-exporter-otlp-proto-http"]);
  await withStage(async ({ db, startBroker }) => {
    const { url } = await startBroker();
    const runner = await givenRunner(db);
    const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
    const streamId = `lgs_${(await givenJob(db, runner)).slice(4)}`;
    const executionId = newId("exe");
    const script = path.join(import.meta.dirname, "export-logs.py");
    const target = `${url}/v1/log-streams/${streamId}/logs`;
    await run(python, [script, target, token, executionId, String(count)]);
    const records = await storedRecords(db, runner.orgId, streamId);
    assert.equal(records.length, count);
    for (const [at, record] of records.entries()) {
      const { seq, body, step, severity, atUs, attributes, resource } = record;
      assert.deepEqual(
        { seq, body, step, severity, atUs, attributes, service: resource["service.name"] },
        {
          seq: at + 1,
          body: `line ${at + 1} – ünïcode 🙂`,
          step: "apply",
          severity: 9,
          atUs: 1_790_000_000_000_000 + at + 1,
          attributes: { list: ["a", "b"] },
          service: "python-runner",
        },
      );
    }
    process.stdout.write(
      `OpenTelemetry for Python: ${count} of ${count} records came out whole.\n`,
    );
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
