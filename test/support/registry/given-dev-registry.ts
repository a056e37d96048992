import { request } from "node:http";
import { startDevRegistry } from "../../../cli/dev-registry/start-dev-registry.ts";
import { startBroker } from "../broker/broker.ts";
import { testDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenOrg } from "../rows/given.ts";
import { afterFile } from "../run/after-file.ts";
import { fileFolder } from "../run/folder.ts";
import { askToken } from "./ask-token.ts";

export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};
export type Asked = {
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Of the repositories that the token opens; none sends no token. */
  readonly scopes?: readonly string[];
};
type Limits = NonNullable<Parameters<typeof startDevRegistry>[0]["limits"]>;

/** The registry of `svc dev` and a broker that it trusts, for a file; with the login of an org's admin. */
export async function givenDevRegistry(limits: Limits = {}, prefix = "") {
  const folder = await fileFolder();
  const { db, url } = await testDatabase();
  const start = async (port: number) => {
    const started = await startDevRegistry({ folder, port, limits: { freeBytes: 0, ...limits } });
    afterFile(started.stop);
    return started;
  };
  let registry = await start(0);
  const { host } = registry;
  const env = { SVC_REGISTRY: `http://${host}${prefix}`, SVC_REGISTRY_AUTH: "token" };
  const broker = await startBroker({ url, env });
  registry.trust(broker.url);
  const orgId = await givenOrg(db);
  const login = { username: "svc", password: await givenToken(db, { orgId, role: "org_admin" }) };

  async function tokenFor(scopes: readonly string[]): Promise<string> {
    const { status, body } = await askToken(broker.url, login, scopes, host);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.token;
  }

  /** A request with a token that opens the repository that its path names, unless told another. */
  async function ask(what: string, asked: Asked = {}): Promise<Answered> {
    const [method = "GET", path = "/"] = what.split(" ");
    const name = /^\/v2\/(.+)\/(?:blobs|manifests|tags|referrers)\//.exec(path)?.[1] ?? "";
    const { scopes = [`repository:${name}:pull,push,delete`], body, headers = {} } = asked;
    const token = scopes.length === 0 ? undefined : await tokenFor(scopes);
    const said = { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    return await send(host, { method, path, headers: said }, body);
  }

  return {
    host,
    folder,
    orgId,
    login,
    broker,
    ask,
    tokenFor,
    sweep: async (garbage: { readonly youngMs: number }) => await registry.sweep(garbage),
    /** Stops it and starts another one over the same folder. */
    restart: async () => {
      await registry.stop();
      registry = await start(Number(host.split(":")[1]));
      registry.trust(broker.url);
    },
  };
}

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
};

/** As it is written: fetch would not say a wrong range. */
async function send(
  host: string,
  { method, path, headers }: Sent,
  body: Uint8Array | string = "",
): Promise<Answered> {
  return await new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const all = { "content-length": bytes.length, ...headers };
    const [address = "", port] = host.split(":");
    const to = { host: address, port, path, method, headers: all };
    const sending = request(to, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.once("error", reject);
      response.once("end", () => {
        const { statusCode = 0 } = response;
        resolve({ status: statusCode, headers: response.headers, body: Buffer.concat(pieces) });
      });
    });
    sending.once("error", reject);
    sending.end(bytes);
  });
}
