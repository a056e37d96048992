import type { Base } from "./connection.ts";

/** Where a request goes: a path as the document writes it, and what stands in it. */
export type Target = {
  readonly path: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Of texts, numbers, truth values, and lists of these. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
};

/**
 * The URL of a target, which is below the base whatever the values are: a TypeError for a path or a value that would
 * lead elsewhere.
 */
export function targetUrl({ origin, path: basePath }: Base, target: Target): string {
  if (!/^\/[^?#\\]*$/.test(target.path))
    throw new TypeError(`${target.path} is not a path: it begins with a slash and has no query.`);
  const path = basePath + filled(target);
  const url = new URL(origin + path);
  if (url.origin !== origin || url.pathname !== path)
    throw new TypeError(`A value in ${target.path} leads to another path.`);
  return url.href + queryText(target.query);
}

function filled({ path, params = {} }: Target): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    const isValue = typeof value === "string" || typeof value === "number";
    if (!isValue || value === "") throw new TypeError(`${path} needs params.${name}.`);
    return encodeURIComponent(value);
  });
}

/** A list is sent as the same name several times; what is undefined is not sent. */
function queryText(query: Target["query"] = {}): string {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat() as (string | number | boolean | null | undefined)[])
      if (each != null) sent.append(name, `${each}`);
  }
  return sent.size === 0 ? "" : `?${sent.toString()}`;
}
