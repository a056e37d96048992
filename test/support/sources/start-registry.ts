import { writeFile } from "node:fs/promises";
import path from "node:path";
import { freePorts } from "../network/free-ports.ts";
import { startTool } from "../programs/start-tool.ts";
import { fileFolder, testFolder } from "../run/folder.ts";

export type Registry = {
  /** As image and chart names begin: host and port, without a scheme; it speaks HTTP. */
  readonly host: string;
  /** Who may pull and push, if it asks. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
};

const user = "svc";
const password = "of-the-tests-only";
// Of that password; it is made nowhere else, since nothing here speaks bcrypt.
const passwordHash = "$2y$04$QJ/etqlvwXN/mT.c4KxcEu.fnu0PWabySlxmfNhxGB.inNtO8UBuO";

type Options = {
  /** It wants a login. */
  readonly asks?: boolean;
  /** Who else may log in: names, and bcrypt's hashes of their passwords. */
  readonly others?: Readonly<Record<string, string>>;
  readonly isOfFile?: boolean;
  /** It listens here, and takes tokens of the broker at this URL alone. */
  readonly trusts?: { readonly port: number; readonly brokerUrl: string };
  /** It deletes what it is asked to. */
  readonly deletes?: boolean;
};

/** An OCI registry on the loopback, for one test or for a file's. */
export async function startRegistry({
  asks = false,
  others = {},
  isOfFile = false,
  trusts,
  deletes = false,
}: Options = {}): Promise<Registry> {
  const folder = await (isOfFile ? fileFolder() : testFolder());
  const [free = 0] = trusts === undefined ? await freePorts(1) : [];
  const port = trusts?.port ?? free;
  const host = `127.0.0.1:${port}`;
  const htpasswd = { realm: "tests", path: path.join(folder, "htpasswd") };
  const users = Object.entries({ [user]: passwordHash, ...others });
  await writeFile(htpasswd.path, users.map((one) => `${one.join(":")}\n`).join(""));
  const config = {
    version: "0.1",
    log: { level: "warn" },
    storage: {
      filesystem: { rootdirectory: path.join(folder, "storage") },
      delete: { enabled: deletes },
    },
    http: { addr: host },
    ...(asks ? { auth: { htpasswd } } : {}),
    ...(trusts && { auth: { token: await tokenAuth(folder, host, trusts.brokerUrl) } }),
  };
  const file = path.join(folder, "config.json");
  await writeFile(file, JSON.stringify(config));
  await startTool("registry", ["serve", file], {
    answersAt: `http://${host}/v2/`,
    isOfFile,
  });
  return { host, login: asks ? { user, password } : undefined };
}

/** As docs/registry.md has it. */
async function tokenAuth(folder: string, host: string, brokerUrl: string) {
  const jwks = path.join(folder, "jwks.json");
  await writeFile(jwks, await (await fetch(`${brokerUrl}/v1/registry/keys`)).text());
  const named = brokerUrl.replace("127.0.0.1", "localhost"); // crane refuses private addresses
  return { realm: `${named}/v1/registry/token`, service: host, issuer: "svc", jwks };
}
