import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { aliasesOf, type Brands } from "../../../shared/brands.ts";

/** Begins of headers of answers by which clients page. */
const paging = ["x-svc-page-", "x-svc-api-"];

/** A listener that knows the headers of brands; where two names of one header differ, it answers 400 itself. */
export function listenByBrands(listener: RequestListener, brands: Brands): RequestListener {
  if (brands.length === 0) return listener;
  return (incoming, outgoing) => {
    const differing = takeBrandHeaders(incoming, brands);
    if (differing !== undefined) return refuse(outgoing, differing);
    addBrandHeaders(outgoing, brands);
    listener(incoming, outgoing);
  };
}

/**
 * Gives a request's headers of brands (`X-Acme-Org-ID`) their own names, before anything reads them. The header of ours that two of them
 * give different values; undefined where they agree.
 */
function takeBrandHeaders(incoming: IncomingMessage, brands: Brands): string | undefined {
  const { headers, rawHeaders } = incoming;
  const prefixes = aliasesOf("x-svc-", brands);
  const renamed = new Map<string, string>();
  for (const name of Object.keys(headers)) {
    const prefix = prefixes.find((alias) => name.startsWith(alias));
    if (prefix === undefined) continue;
    const own = `x-svc-${name.slice(prefix.length)}`;
    const value = headers[name];
    if (headers[own] !== undefined && headers[own] !== value) return own;
    if (headers[own] === undefined) renamed.set(name, own);
    headers[own] = value;
    delete headers[name];
  }
  if (renamed.size > 0) renameRaw(rawHeaders, renamed);
  return undefined;
}

/** Names and values by turns. None goes: Node reads as many as came, for `headersDistinct`. */
function renameRaw(raw: string[], renamed: ReadonlyMap<string, string>): void {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? "";
    raw[at] = renamed.get(name.toLowerCase()) ?? name;
  }
}

/** Gives the headers of an answer by which clients page the names of brands, too, as they are set. */
function addBrandHeaders(outgoing: ServerResponse, brands: Brands): void {
  const setHeader = outgoing.setHeader.bind(outgoing);
  outgoing.setHeader = (name, value) => {
    const isPaging = paging.some((begin) => name.toLowerCase().startsWith(begin));
    if (isPaging) for (const alias of aliasesOf(name, brands)) setHeader(alias, value);
    return setHeader(name, value);
  };
}

function refuse(outgoing: ServerResponse, name: string): void {
  const detail = `The header ${name} comes by two names with different values. Send one of them.`;
  const body = { title: "Bad Request", status: 400, code: "header_differs", detail };
  outgoing.writeHead(400, { "content-type": "application/json", connection: "close" }); // who calls is not known yet
  outgoing.end(JSON.stringify({ ...body, error: detail, description: detail, user_error: true }));
}
