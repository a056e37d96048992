import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../agent/config/read-config.ts";
import { checkImageBuilds } from "../../agent/doctor/check-image-builds.ts";
import type { Finding } from "../../agent/doctor/finding.ts";
import { testFolder } from "../support/run/folder.ts";

const broker = new URL("http://127.0.0.1:1");

/** What the doctor says of builds of images to an agent with these settings. */
async function consult(
  flags: Readonly<Record<string, string>>,
  PATH = "/nowhere",
): Promise<Omit<Finding, "check">> {
  const config = readConfig({ "broker-url": broker.href, ...flags }, { PATH });
  const context = { config, broker, proxy: undefined, token: undefined, patienceMs: 1_000 };
  return await checkImageBuilds(context);
}

test("the doctor says what builds of images lack, to an agent that takes builds", async () => {
  const groups = "build=1";
  expect(await consult({})).toMatchObject({ verdict: "left-out" });
  const denied = await consult({ groups, "deny-types": "docker-build" });
  expect(denied).toMatchObject({ verdict: "left-out" });
  expect(await consult({ groups })).toMatchObject({
    verdict: "warning",
    words: "buildah is not installed: docker-build jobs will fail.",
  });
  const folder = await testFolder();
  const logins = path.join(folder, "logins.json");
  await writeFile(logins, "{}", { mode: 0o644 });
  expect(await consult({ groups, "registry-credentials": logins })).toMatchObject({
    verdict: "warning",
    words: `docker-build jobs will fail: The setting registry-credentials cannot be used: other users may read or write ${logins}: chmod 600 ${logins}.`,
  });
  await writeFile(path.join(folder, "buildah"), "", { mode: 0o755 });
  expect(await consult({ groups, "build-isolation": "off" }, folder)).toMatchObject({
    verdict: "warning",
    words: "What Dockerfiles run is not kept apart from this host (build-isolation = off).",
  });
  const words = /^docker-build jobs will fail: user namespaces cannot be made/;
  expect(await consult({ groups }, folder)).toMatchObject({
    verdict: "warning",
    words: expect.stringMatching(words) as string,
  });
});
