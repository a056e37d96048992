import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../test/support/run/folder.ts";
import { namedSource, readLogin } from "./named-source.ts";

test.each([
  ["oci://ghcr.io/acme/web:1.2", {}, { oci: { url: "ghcr.io/acme/web:1.2" } }],
  [
    "oci://localhost:5000/web",
    { tag: "1.2.3+build" },
    { oci: { url: "localhost:5000/web", tag: "1.2.3_build" } },
  ],
  [
    "oci://registry.example/web:1",
    { isPlain: true },
    { oci: { url: "registry.example/web:1", plain_http: true } },
  ],
  ["git::https://example.com/app.git", {}, { git: { url: "https://example.com/app.git" } }],
  [
    "git::https://example.com/app.git//charts/web?ref=v1",
    {},
    { git: { url: "https://example.com/app.git", ref: "v1", path: "charts/web" } },
  ],
  [
    "git::git@example.com:acme/app.git//web",
    {},
    { git: { url: "git@example.com:acme/app.git", path: "web" } },
  ],
])("%s is a source", (address, more, source) => {
  expect(namedSource(address, more)).toEqual(source);
});

test("an address of another kind, or with two versions, is none", () => {
  expect(() => namedSource("https://example.com/app.yaml")).toThrow(/no address that can be sent/);
  expect(() => namedSource("oci://ghcr.io/acme/web:1", { tag: "2" })).toThrow(/already/);
});

test("who signs in is read from a file, and what is wrong there is not repeated", async () => {
  const file = path.join(await testFolder(), "login");
  await writeFile(file, "me:pass:word\n");
  expect(await readLogin(file)).toEqual({ username: "me", password: "pass:word" });
  await writeFile(file, "swordfish\n");
  const refusal = await readLogin(file).catch((error: unknown) => String(error));
  expect(refusal).toContain("USER:PASSWORD");
  expect(refusal).not.toContain("swordfish");
});
