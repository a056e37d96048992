import type { RouteRule } from "../../../shared/route-rule.ts";
import { mostInflatedBytes } from "../../app-configs/work/archive-files.ts";
import type { ConfigBody } from "../../app-configs/work/config-body.ts";
import type { AppContext } from "../app-types.ts";
import { isGzip, toldSize } from "./gzip-size.ts";
import { isArchive } from "./is-archive.ts";
import { readBody } from "./read-body.ts";
import { maxBytes, readJsonBytes } from "./read-json.ts";

/** The body of a route that takes an archive or a document, as it came. */
export async function readRawBody(c: AppContext, rule: RouteRule): Promise<ConfigBody> {
  if (!isArchive(c, rule))
    return { form: "document", bytes: await readJsonBytes(c, rule), unpackedBytes: 0 };
  const bytes = await readBody(c, maxBytes(rule));
  const unpackedBytes = isGzip(bytes) ? Math.min(toldSize(bytes), mostInflatedBytes) : 0;
  return { form: "archive", bytes, unpackedBytes };
}
