import { referencePage } from "./page.ts";

/** The document of the API and its page, as they are sent. */
export type ReferenceBytes = {
  readonly document: () => Uint8Array<ArrayBuffer>;
  readonly page: () => Uint8Array<ArrayBuffer>;
};

/** Each is made once, when it is first asked for: both are about a megabyte, and anybody may ask for them. */
export function referenceBytes(describe: () => object): ReferenceBytes {
  let described: object | undefined;
  let document: Buffer<ArrayBuffer> | undefined;
  let page: Buffer<ArrayBuffer> | undefined;
  return {
    document: () => (document ??= Buffer.from(JSON.stringify((described ??= describe())))),
    page: () => (page ??= Buffer.from(referencePage((described ??= describe())))),
  };
}
