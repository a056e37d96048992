import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findCredential, readRegistryCredentials } from "./registry-credentials.ts";

async function given(contents: object | string, mode = 0o600): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-credentials-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  await writeFile(path.join(folder, "password"), "from a file\n");
  const text = typeof contents === "string" ? contents : JSON.stringify(contents);
  const file = path.join(folder, "config.json");
  await writeFile(file, text.replaceAll("FOLDER", folder));
  await chmod(file, mode);
  return file;
}

test("a login is for its own registry, and for what begins there as it says", async () => {
  const file = await given({
    auths: {
      "https://index.docker.io/v1/": { auth: Buffer.from("me:a:b").toString("base64") },
      "ghcr.io": { username: "all", password: "p" },
      "ghcr.io/acme": { username: "acme", password_file: "FOLDER/password" },
      "registry.example.com:5000": { identitytoken: "of a token" },
    },
  });
  const all = await readRegistryCredentials(file);
  const login = async (host: string, repository: string) =>
    await findCredential(all, { origin: `https://${host}`, repository })?.login();
  expect(await login("registry-1.docker.io", "library/nginx")).toEqual({
    username: "me",
    password: "a:b",
  });
  expect(await login("ghcr.io", "acme/app")).toEqual({ username: "acme", password: "from a file" });
  expect(await login("ghcr.io", "acme-other/app")).toEqual({ username: "all", password: "p" });
  expect(await login("registry.example.com:5000", "a")).toEqual({ refreshToken: "of a token" });
  for (const host of ["registry.example.com", "xghcr.io", "ghcr.io.example.com"])
    expect(await login(host, "acme/app")).toBeUndefined();
});

test("a file that others may read, or that is not one, is refused without its contents", async () => {
  const auths = { "ghcr.io": { username: "u", password: "never shown" } };
  for (const [contents, mode, words] of [
    [{ auths }, 0o640, "other users may read or write"],
    ["never shown {", 0o600, "is not like docker's config.json"],
    [{ credsStore: "pass" }, 0o600, "names programs that keep logins"],
    [{ auths: { "ghcr.io": { username: "never shown" } } }, 0o600, "the login for ghcr.io is not"],
    [{ auths: { "a b": auths["ghcr.io"] } }, 0o600, "the login for a b is for no registry"],
  ] as const) {
    const error = await readRegistryCredentials(await given(contents, mode)).catch(String);
    expect(error).toContain(words);
    expect(error).not.toContain("never shown");
  }
  await expect(readRegistryCredentials("/nowhere")).rejects.toThrow("(ENOENT)");
});
