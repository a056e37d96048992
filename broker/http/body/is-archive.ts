import { archiveTypes } from "../../../shared/api/archive-body.ts";
import { problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";

/** Whether the request says that its body is an archive, on a route that takes one; 415 for one that is encoded besides. */
export function isArchive(c: AppContext, { archive }: RouteRule): boolean {
  if (archive !== true) return false;
  const [type = ""] = (requestHeader(c, "content-type") ?? "").split(";");
  if (!archiveTypes.includes(type.trim().toLowerCase())) return false;
  const encoding = requestHeader(c, "content-encoding") ?? "identity";
  if (encoding.toLowerCase() === "identity") return true;
  throw problem.unsupportedMediaType(
    "An archive is compressed by itself: send it without Content-Encoding.",
  );
}
