import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export type GitServer = {
  readonly url: string;
  /** What clients said of themselves, request by request; empty for nothing. */
  readonly asked: string[];
};

type Given = {
  /** Repositories by the name that comes first in their URLs. */
  readonly folders: Readonly<Record<string, string>>;
  /** `user:password` of whom it answers; anybody, unless told. */
  readonly login?: string;
};

/** A git server over HTTP: git's own backend behind basic auth. */
export async function startGitServer({ folders, login }: Given): Promise<GitServer> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const { authorization = "" } = request.headers;
    const said = Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
    asked.push(said);
    if (login !== undefined && said !== login) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    const [, name = "", ...rest] = (request.url ?? "").split("?")[0]?.split("/") ?? [];
    const folder = folders[name];
    if (folder === undefined) response.writeHead(404).end();
    else void serve({ request, response, file: path.join(folder, ".git", ...rest) });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

type Exchange = {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly file: string;
};

/** As a web server calls a CGI program. */
async function serve({ request, response, file }: Exchange): Promise<void> {
  const protocol = request.headers["git-protocol"];
  const env = {
    PATH: process.env["PATH"],
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_TRANSLATED: file,
    REQUEST_METHOD: request.method,
    QUERY_STRING: request.url?.split("?")[1] ?? "",
    CONTENT_TYPE: request.headers["content-type"] ?? "",
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
    HTTP_GIT_PROTOCOL: typeof protocol === "string" ? protocol : "",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  };
  const child = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "ignore"] });
  request.pipe(child.stdin);
  const answer = await buffer(child.stdout);
  const headEnd = answer.indexOf("\r\n\r\n");
  for (const line of answer.toString("latin1", 0, headEnd).split("\r\n")) {
    const [name = "", value = ""] = line.split(": ");
    if (name === "Status") response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.end(answer.subarray(headEnd + 4));
}
