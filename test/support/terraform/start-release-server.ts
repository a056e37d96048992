import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { onTestFinished } from "vitest";
import { testFolder } from "../run/folder.ts";
import { zipArchive } from "../sources/zip-archive.ts";
import { makeOpenPgpSigner } from "./openpgp-signer.ts";

export type ReleaseServer = {
  readonly url: string;
  /** The file of the key that it signs with. */
  readonly keyFile: string;
  /** The settings of an agent that gets terraform and OpenTofu here. */
  readonly settings: Readonly<Record<string, string>>;
  /** What was asked, by its last name. */
  readonly asked: string[];
  /** How often archives were asked for. */
  readonly archives: () => number;
  /** From now on sends these bytes for files whose names end so. */
  readonly replace: (end: string, bytes: Buffer | undefined) => void;
  /** Lets archives break off after their first bytes, and wait, until the answer is called. */
  readonly hold: () => () => void;
};

const machine = process.arch === "arm64" ? "arm64" : "amd64";

/** A shell's script that says its version as terraform does. */
export const sayingVersion = (version: string): string =>
  `#!/bin/sh\necho '{"terraform_version": "${version}"}'\n`;

/** A server of releases of both, of every version that is asked for, signed by a key of its own. */
export async function startReleaseServer(): Promise<ReleaseServer> {
  const { sign, publicKey } = makeOpenPgpSigner();
  const keyFile = path.join(await testFolder(), "key.pub");
  await writeFile(keyFile, publicKey);
  const replaced = new Map<string, Buffer | undefined>();
  const asked: string[] = [];
  let held = Promise.resolve();

  const fileOf = (name: string): Buffer | undefined => {
    const [, program = "", version = "", rest = ""] =
      /^(terraform|tofu)_([^_]+)_(.*)$/.exec(name) ?? [];
    const found = [...replaced].find(([end]) => name.endsWith(end));
    if (found !== undefined) return found[1];
    const text = sayingVersion(version) + "#".repeat(200_000);
    const zip = zipArchive([
      { name: "LICENSE", text: "x" },
      { name: program, text, mode: 0o100755 },
    ]);
    const archive = `${program}_${version}_linux_${machine}.zip`;
    const sums = Buffer.from(
      `${"0".repeat(64)}  ${program}_${version}_plan9_386.zip\n${createHash("sha256").update(zip).digest("hex")}  ${archive}\n`,
    );
    if (name === archive) return zip;
    if (rest === "SHA256SUMS") return sums;
    return /^SHA256SUMS\.(?:gpg)?sig$/.test(rest) ? sign(sums) : undefined;
  };
  const answer = async (url: string, response: http.ServerResponse): Promise<void> => {
    const name = path.basename(url.replace(/\?.*/, ""));
    asked.push(name);
    // As OpenTofu's does for all files.
    if (url.startsWith("/tofu/v")) {
      response.writeHead(302, { location: `/objects/${name}?signature=secret` }).end();
      return;
    }
    const bytes = fileOf(name);
    if (bytes === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": bytes.length });
    if (name.endsWith(".zip")) {
      response.write(bytes.subarray(0, 1000));
      await held;
      response.end(bytes.subarray(1000));
    } else response.end(bytes);
  };
  const server = http.createServer((request, response) => void answer(request.url ?? "", response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    keyFile,
    asked,
    settings: {
      "terraform-releases": `${url}/terraform`,
      "opentofu-releases": `${url}/tofu`,
      "terraform-key": keyFile,
      "opentofu-key": keyFile,
    },
    archives: () => asked.filter((name) => name.endsWith(".zip")).length,
    replace: (end, bytes) => void replaced.set(end, bytes),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}
