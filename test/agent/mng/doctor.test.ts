import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { checkManagement } from "../../../agent/doctor/check-management.ts";
import { testFolder } from "../../support/run/folder.ts";

/** What the doctor finds with these settings. */
async function found(settings: Readonly<Record<string, string>>, env = { PATH: "/usr/bin:/bin" }) {
  const config = readConfig({ mode: "mng", ...settings }, env);
  const broker = new URL("http://127.0.0.1:9");
  const context = { config, broker, proxy: undefined, token: undefined, patienceMs: 1_000 };
  return await checkManagement(context);
}

test("the doctor says whether a management process could do its work, and what to fix", async () => {
  const folder = await testFolder(0o755);
  const [file, dir] = [path.join(folder, "agent.conf"), path.join(folder, "versions")];
  await writeFile(file, "");
  await mkdir(dir, { mode: 0o755 });
  const well = { "mng-agent-config": file, "mng-versions-dir": dir };
  expect((await found({ mode: "install" })).verdict).toBe("left-out");
  expect(await found(well)).toMatchObject({ verdict: "ok" });
  const wrong: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ "mng-agent-config": `${file}.none` }, /cannot be read/],
    [{ "mng-releases": "https://example.com" }, /without mng-release-key/],
    [{ "mng-power-off": "yes", "mng-power-off-command": "/no/such" }, /does not exist/],
    [{ "mng-driver": "systemd", "mng-unit": "no-such-unit.service" }, /no unit|does not answer/],
  ];
  for (const [settings, words] of wrong) {
    const told = await found({ ...well, ...settings });
    expect(told).toMatchObject({ verdict: "failed" });
    expect(told.words).toMatch(words);
  }
  expect(await found({ ...well, "mng-driver": "docker" }, { PATH: folder })).toMatchObject({
    verdict: "failed",
  });
  await chmod(dir, 0o777);
  expect((await found(well)).words).toContain("Others can write");
});
