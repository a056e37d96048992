import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { ansiStyle } from "./ansi-style.ts";

export type Asset = { readonly type: string; readonly text: string; readonly hash: string };

const require = createRequire(import.meta.url);
const own = (name: string) => () =>
  readFileSync(path.join(import.meta.dirname, "assets", name), "utf8");

const css = "text/css; charset=utf-8";
const js = "text/javascript; charset=utf-8";

/** The style of all pages, by idea; later files may take back what earlier ones say. */
const styles = ["base", "shell", "marks", "tables", "blocks", "forms", "last"] as const;
const style = (): string => styles.map((name) => own(`${name}.css`)()).join("");

/** What pages load, by name: its type and its text. htmx is taken from its package as it is. */
const sources = {
  "dashboard.css": { type: css, read: style },
  "charts.css": { type: css, read: own("charts.css") },
  "log.css": { type: css, read: () => `${own("log.css")()}${ansiStyle()}` },
  "dashboard.js": { type: js, read: own("dashboard.js") },
  "log.js": { type: js, read: own("log.js") },
  "htmx.js": {
    type: js,
    read: () => readFileSync(require.resolve("htmx.org/dist/htmx.min.js"), "utf8"),
  },
  "icon.svg": { type: "image/svg+xml", read: own("icon.svg") },
} as const;
export type AssetName = keyof typeof sources;

/** Every asset with its text. A built program has them in itself. */
export function shippedAssets(): Readonly<Record<AssetName, Asset>> {
  const read = Object.entries(sources).map(([name, { type, read: readText }]) => {
    const text = readText().replace(/^\/\/# sourceMappingURL=.*$/m, "");
    return [name, { type, text, hash: hashOf(text) }] as const;
  });
  return Object.fromEntries(read) as Record<AssetName, Asset>; // one for each source
}

const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);
