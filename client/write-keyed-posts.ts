// Writes which POSTs of an API's document take an idempotency key: node write-keyed-posts.ts DOCUMENT FILE
import { readFile, writeFile } from "node:fs/promises";

type Post = { readonly parameters?: readonly { readonly in: string; readonly name: string }[] };
type Document = { readonly paths: Readonly<Record<string, { readonly post?: Post }>> };

const [document = "", file = ""] = process.argv.slice(2);
const { paths } = JSON.parse(await readFile(document, "utf8")) as Document; // our own, of the build
const keyed = Object.entries(paths)
  .filter(([, { post }]) => post?.parameters?.some(isKey) === true)
  .map(([path]) => `  ${JSON.stringify(path)},\n`);
if (keyed.length === 0) throw new Error(`No POST of ${document} takes an idempotency key.`);
await writeFile(
  file,
  `export const keyedPosts: ReadonlySet<string> = new Set([\n${keyed.join("")}]);\n`,
);

function isKey(parameter: { readonly in: string; readonly name: string }): boolean {
  return parameter.in === "header" && parameter.name.toLowerCase() === "idempotency-key";
}
