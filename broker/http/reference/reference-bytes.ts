import { referencePage } from "./page.ts";
import { toOpenApi30 } from "./to-open-api30.ts";

/** The document of the API and its page, as they are sent. */
export type ReferenceBytes = {
  readonly document: () => Uint8Array<ArrayBuffer>;
  /** The same in OpenAPI 3.0. */
  readonly document30: () => Uint8Array<ArrayBuffer>;
  readonly page: () => Uint8Array<ArrayBuffer>;
};

/** Each is made once, when it is first asked for: they are megabytes, and anybody may ask for them. */
export function referenceBytes(describe: () => object): ReferenceBytes {
  let described: object | undefined;
  let document: Buffer<ArrayBuffer> | undefined;
  let document30: Buffer<ArrayBuffer> | undefined;
  let page: Buffer<ArrayBuffer> | undefined;
  const known = () => (described ??= describe());
  return {
    document: () => (document ??= Buffer.from(JSON.stringify(known()))),
    document30: () => (document30 ??= Buffer.from(JSON.stringify(toOpenApi30(known())))),
    page: () => (page ??= Buffer.from(referencePage(known()))),
  };
}
