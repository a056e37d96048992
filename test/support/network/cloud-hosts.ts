import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterFile } from "../run/after-file.ts";
import { cloudCertificate, cloudKey } from "./cloud-certificate.ts";

/** A request to a host of a cloud. */
export type HostRequest = {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
};

export type HostAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is told as JSON. */
  readonly body: object | string | Uint8Array;
};

export type CloudHosts = {
  /** With these variables a program finds all hosts here, but those of this machine. */
  readonly env: Readonly<Record<string, string>>;
  /** All that was asked for, first to last. */
  readonly asked: readonly HostRequest[];
};

/**
 * Whatever names of clouds are asked for by way of a proxy are answered here, by TLS, until the file of tests is over. This
 * process trusts it; an agent that is a process of its own has to be told whom to trust.
 */
export async function startCloudHosts(
  answer: (request: HostRequest) => HostAnswer | Promise<HostAnswer>,
): Promise<CloudHosts> {
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, cloudCertificate]);
  const asked: HostRequest[] = [];
  const server = https.createServer({ cert: cloudCertificate, key: cloudKey }, (request, said) => {
    const serve = async (): Promise<void> => {
      const one = await requestOf(request);
      asked.push(one);
      const { status, headers, body } = await answer(one);
      said.writeHead(status, { "content-type": "application/json", ...headers });
      const isAsItIs = typeof body === "string" || body instanceof Uint8Array;
      said.end(isAsItIs ? body : JSON.stringify(body));
    };
    void serve().catch(() => said.destroy());
  });
  const tls = await listen(server);
  const ends = new Set<Duplex>();
  const proxy = http.createServer((_, said) => void said.writeHead(403).end());
  proxy.on("connect", (_, client: Duplex) => {
    const target = connect(tls, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(target).pipe(client);
    });
    for (const end of [client, target]) {
      ends.add(end);
      end.on("error", () => {}).on("close", () => (end === client ? target : client).destroy());
    }
  });
  const port = await listen(proxy);
  afterFile(async () => {
    setDefaultCACertificates(trusted);
    for (const end of ends) end.destroy();
    for (const one of [server, proxy]) {
      one.close();
      one.closeAllConnections();
    }
    await Promise.resolve();
  });
  return { env: { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "127.0.0.1" }, asked };
}

async function requestOf(request: http.IncomingMessage): Promise<HostRequest> {
  const { method = "", headers } = request;
  const host = headers.host ?? "";
  const { pathname, searchParams } = new URL(request.url ?? "", `https://${host}`);
  const body = await text(request);
  return { host, method, path: decodeURIComponent(pathname), query: searchParams, headers, body };
}

async function listen(server: http.Server | https.Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens on TCP
}
