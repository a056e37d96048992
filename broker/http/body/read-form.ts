import { isUtf8 } from "node:buffer";
import { problem } from "../../../shared/problem.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import { readBody } from "./read-body.ts";

const mostBytes = 64 * 1024;
const formType = /^application\/x-www-form-urlencoded\s*(?:;.*)?$/i;

/** The fields of a form that a browser sent; 413 past 64 KiB, 415 for anything but a plain form. */
export async function readForm(c: AppContext): Promise<URLSearchParams> {
  const bytes = await readBody(c, mostBytes);
  if (bytes.length === 0) return new URLSearchParams();
  if (!formType.test(requestHeader(c, "content-type") ?? "")) {
    throw problem.unsupportedMediaType("Send the form as application/x-www-form-urlencoded.");
  }
  if (!isUtf8(bytes)) throw problem.malformed("body_not_utf8", "The form is not valid UTF-8.");
  return new URLSearchParams(bytes.toString("utf8"));
}
