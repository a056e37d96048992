import { once } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { onTestFinished } from "vitest";
import { runTool } from "../programs/run-tool.ts";
import { testFolder } from "../run/folder.ts";
import { givenChart } from "./given-helm.ts";

/** A repository of charts over HTTP, with the small chart in it; of whom it knows, if it asks. */
export async function givenChartRepository(login?: string): Promise<string> {
  const folder = await testFolder();
  await runTool("helm", ["package", await givenChart(), "--destination", folder]);
  const server = http.createServer((request, response) => {
    const { authorization = "" } = request.headers;
    const said = Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
    if (login !== undefined && said !== login) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="charts"' }).end();
      return;
    }
    readFile(path.join(folder, path.basename(request.url ?? ""))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await runTool("helm", ["repo", "index", folder, "--url", url]);
  return url;
}
