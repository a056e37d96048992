import { brotliCompressSync, gzipSync } from "node:zlib";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { answerError } from "../http/answer/answer-error.ts";
import type { App } from "../http/app-types.ts";
import { beginRequest, endRequest } from "../http/request-log.ts";
import { type Asset, type AssetName, shippedAssets } from "./shipped-assets.ts";

let assets: ReturnType<typeof shippedAssets> | undefined;

/** Where a page loads an asset from: another text has another address, so that browsers keep each for ever. */
export function assetPath(name: AssetName): string {
  assets ??= shippedAssets();
  return `/assets/${name}?v=${assets[name].hash}`;
}

/** GET /assets/{name}: for anyone, compressed once. */
export function openAssets(app: App, broker: Broker): void {
  const route = "/assets/:name";
  const count = broker.httpMetrics.of("GET", "/assets/{name}");
  const packed = new Map<string, Uint8Array<ArrayBuffer>>();

  app.on(["GET"], [route], (c) => {
    const startedAtMs = beginRequest(c, undefined);
    assets ??= shippedAssets();
    const name = c.req.param("name");
    const asset = Object.hasOwn(assets, name) ? assets[name as AssetName] : undefined;
    let response: Response;
    if (asset === undefined) {
      response = answerError(c, broker, problem.notFound("route"));
    } else {
      const encoding = encodingFor(c.req.header("accept-encoding"));
      const key = `${name} ${encoding ?? ""}`;
      const body = packed.get(key) ?? compress(asset, encoding);
      packed.set(key, body);
      c.env?.outgoing?.removeHeader("cache-control");
      response = new Response(body, {
        headers: {
          "content-type": asset.type,
          "cache-control": "public, max-age=31536000, immutable",
          vary: "accept-encoding",
          "x-content-type-options": "nosniff",
          ...(encoding !== undefined && { "content-encoding": encoding }),
        },
      });
    }
    endRequest(
      c,
      broker,
      { route, rule: undefined, count },
      { status: response.status, startedAtMs },
    );
    return response;
  });
}

type Encoding = "br" | "gzip";

function encodingFor(accepted = ""): Encoding | undefined {
  const names = accepted.split(",").map((one) => one.trim());
  return (["br", "gzip"] as const).find((one) => names.includes(one));
}

function compress({ text }: Asset, encoding: Encoding | undefined): Uint8Array<ArrayBuffer> {
  const plain = Buffer.from(text);
  if (encoding === undefined) return plain;
  return new Uint8Array(encoding === "br" ? brotliCompressSync(plain) : gzipSync(plain));
}
