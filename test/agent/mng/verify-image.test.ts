import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { Refusal } from "../../../agent/mng/driver.ts";
import { verifyImage } from "../../../agent/mng/verify-image.ts";
import type { RunnerSettings } from "../../../shared/api/runner-settings.ts";
import { testFolder } from "../../support/run/folder.ts";

const image = "registry.test/acme/agent:2.0.0";
const digest = `sha256:${"ab".repeat(32)}`;
const digests = [
  `mirror.test/agent@sha256:${"cd".repeat(32)}`,
  `registry.test/acme/agent@${digest}`,
];

const owners = { "mng-image-issuer": "https://owner.test", "mng-image-identity": "^owner$" };
const runners = {
  container_image_signature_issuer: "https://runner.test",
  container_image_signature_identity_regexp: ".*",
};

type Given = {
  readonly flags?: Readonly<Record<string, string>>;
  readonly settings?: Partial<RunnerSettings>;
  /** How the command cosign ends, and what it says; there is none by default. */
  readonly cosign?: { readonly code: number; readonly says?: string };
};

/** Verifies as a host with these settings; the command that verifies writes down how it was called. */
async function setup({ flags = {}, settings = {}, cosign }: Given) {
  const folder = await testFolder(0o755);
  const [program, calls] = [path.join(folder, "cosign"), path.join(folder, "calls")];
  await writeFile(calls, "");
  if (cosign !== undefined) {
    const { code, says = "" } = cosign;
    const text = `#!/bin/sh\necho "$@" >> ${calls}\necho '${says}' >&2\nexit ${code}\n`;
    await writeFile(program, text, { mode: 0o755 });
  }
  const config = readConfig({ mode: "mng", ...flags }, { PATH: `${folder}:/usr/bin:/bin` });
  const none = {
    container_image_signature_issuer: "",
    container_image_signature_identity_regexp: "",
  };
  const verify = async (name = image): Promise<string> =>
    await verifyImage(name, JSON.stringify(digests), {
      config,
      settings: { ...none, ...settings } as RunnerSettings, // it reads no more of them
      signal: new AbortController().signal,
    });
  const fault = async (): Promise<unknown> => await verify().catch((error: unknown) => error);
  return { verify, fault, calls: async () => (await readFile(calls, "utf8")).trim() };
}

const called = (issuer: string, identity: string): string =>
  `verify --certificate-oidc-issuer=${issuer} --certificate-identity-regexp=${identity} registry.test/acme/agent@${digest}`;

const good = { code: 0 };

test("an image must be signed as the host's owner says, whatever the runner's settings say", async () => {
  for (const settings of [{}, runners]) {
    const { verify, calls } = await setup({ flags: owners, settings, cosign: good });
    expect(await verify()).toBe(`${image}@${digest}`);
    expect(await calls()).toBe(called("https://owner.test", "^owner$"));
  }
});

test("an image must be signed as the runner's settings say, where the owner says nothing", async () => {
  const { verify, calls } = await setup({ settings: runners, cosign: good });
  expect(await verify()).toBe(`${image}@${digest}`);
  expect(await calls()).toBe(called("https://runner.test", ".*"));
});

test("an image is not verified where nobody says who must have signed it", async () => {
  const { verify, calls } = await setup({ cosign: { code: 12 } });
  expect(await verify()).toBe(image);
  expect(await calls()).toBe("");
});

test("an image that is named by its digest is verified by that one", async () => {
  const { verify, calls } = await setup({ flags: owners, cosign: good });
  const exact = `registry.test/acme/agent@sha256:${"ef".repeat(32)}`;
  expect(await verify(exact)).toBe(exact);
  expect(await calls()).toMatch(new RegExp(`${exact}$`));
});

test("half a wish of the owner refuses every image", async () => {
  for (const [name, value] of Object.entries(owners)) {
    const { fault, calls } = await setup({ flags: { [name]: value }, settings: runners });
    expect(await fault()).toBeInstanceOf(Refusal);
    expect(await calls()).toBe("");
  }
});

test.each([10, 12, 13])("no signature, or another's (exit code %i), is a verdict", async (code) => {
  const cosign = { code, says: "Error: no matching signatures" };
  const { fault } = await setup({ flags: owners, cosign });
  const refusal = await fault();
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ message: expect.stringContaining("no matching") as string });
});

test("an image is not run, and not refused for good, when the check itself fails", async () => {
  const broken = await setup({ flags: owners, cosign: { code: 1, says: "Error: no route" } });
  const absent = await setup({ flags: owners });
  for (const { fault } of [broken, absent]) {
    const error = await fault();
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(Refusal);
  }
});
