import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { Refusal } from "../../../agent/mng/driver.ts";
import { openVersions } from "../../../agent/mng/versions.ts";
import type { RunnerSettings } from "../../../shared/api/runner-settings.ts";
import { oddVersion } from "../../support/mng/agent-versions.ts";
import { testFolder } from "../../support/run/folder.ts";
import { zipArchive } from "../../support/sources/zip-archive.ts";
import { makeOpenPgpSigner } from "../../support/terraform/openpgp-signer.ts";

/** A server that has every version that is asked for, signed; it may say another version, or send other bytes. */
async function setup(more: Readonly<Record<string, string>> = {}) {
  const { sign, publicKey } = makeOpenPgpSigner();
  const folder = await testFolder(0o755);
  const [key, dir] = [path.join(folder, "key.pub"), path.join(folder, "versions")];
  await writeFile(key, publicKey);
  const odd = { says: "", spoilt: "", status: 200 };
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const name = path.basename(request.url ?? "");
    asked.push(request.url ?? "");
    const version = /^svc-agent_([^_]+?)(?:_|\.zip)/.exec(name)?.[1] ?? "";
    const text = oddVersion(odd.says || version, "");
    const zip = zipArchive([{ name: "svc-agent.mjs", text, mode: 0o100755 }]);
    const digest = createHash("sha256").update(zip).digest("hex");
    const sums = Buffer.from(`${digest}  svc-agent_${version}.zip\n`);
    const bytes = name.endsWith(".zip") ? zip : name.endsWith(".sig") ? sign(sums) : sums;
    response.statusCode = odd.status;
    const isSpoilt = odd.spoilt !== "" && name.endsWith(odd.spoilt);
    response.end(isSpoilt ? Buffer.concat([bytes, Buffer.from("x")]) : bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { "mng-versions-dir": dir, "mng-releases": `${url}/a,${url}/b` };
  const flags = { ...settings, "mng-release-key": key, "data-dir": folder, ...more };
  const versions = openVersions(readConfig(flags, { PATH: process.env["PATH"] }));
  const prepare = async (version: string, asks: Partial<RunnerSettings> = {}): Promise<string> =>
    await versions.prepare(version, {
      settings: { runner_binary_url: "", ...asks } as RunnerSettings, // it reads no more of them
      signal: new AbortController().signal,
      say: () => {},
    });
  return { versions, prepare, odd, asked, url, program: path.join(dir, "1.2.3", "svc-agent.mjs") };
}

describe("versions that are downloaded", () => {
  test("are verified, and run by everybody, but written by their owner alone", async () => {
    const at = await setup();
    await at.prepare("1.2.3");
    expect(await at.versions.commandOf("1.2.3")).toEqual([process.execPath, at.program]);
    expect((await stat(at.program)).mode & 0o777).toBe(0o755);
    expect(at.asked.every((url) => url.startsWith("/a/1.2.3/"))).toBe(true);
    const before = at.asked.length;
    await at.prepare("1.2.3");
    expect(at.asked).toHaveLength(before);
  });

  test.each([
    [".zip", /checksum/],
    ["SUMS", /signature/],
    [".sig", /signature|OpenPGP/],
  ])("are refused when their %s was changed", async (spoilt, why) => {
    const at = await setup();
    at.odd.spoilt = spoilt;
    const refusal: unknown = await at.prepare("1.2.3").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ message: expect.stringMatching(why) as string });
    expect(existsSync(at.program)).toBe(false);
  });

  test.each([404, 403])("are not refused for good when a server answers %i", async (status) => {
    const at = await setup();
    at.odd.status = status;
    const fault: unknown = await at.prepare("1.2.3").catch((error: unknown) => error);
    expect(fault).not.toBeInstanceOf(Refusal);
    expect(fault).toMatchObject({ message: expect.stringContaining(String(status)) as string });
    at.odd.status = 200;
    await at.prepare("1.2.3");
  });

  test("are refused when they are another version than they are called", async () => {
    const at = await setup();
    at.odd.says = "1.0.0";
    await expect(at.prepare("1.2.3")).rejects.toThrow("reports that it is 1.0.0");
    expect(existsSync(at.program)).toBe(false);
  });

  test("come from a place of the settings only if the host's owner allows that place", async () => {
    const at = await setup();
    const evil = at.prepare("1.2.3", { runner_binary_url: `${at.url}/evil` });
    await expect(evil).rejects.toThrow("not among mng-releases");
    expect(at.asked).toEqual([]);
    await at.prepare("1.2.3", { runner_binary_url: `${at.url}/b/` });
    expect(at.asked.every((url) => url.startsWith("/b/"))).toBe(true);
  });

  test.each(["../../etc", "1.2.3/../../x", "latest", "1.2.3;reboot", "-h"])(
    "are never called %s",
    async (name) => {
      const at = await setup();
      await expect(at.prepare(name)).rejects.toThrow("is not a version");
      expect(await at.versions.commandOf(name)).toBeUndefined();
      expect(at.asked).toEqual([]);
    },
  );

  test("are not older than the owner wants, and not downloaded without a key", async () => {
    const old = await setup({ "mng-oldest-version": "1.3.0" });
    await expect(old.prepare("1.2.3")).rejects.toThrow("older than mng-oldest-version");
    const off = await setup({ "mng-releases": "off" });
    await expect(off.prepare("1.2.3")).rejects.toThrow("mng-releases is off");
  });
});
