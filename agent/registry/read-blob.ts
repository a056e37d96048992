import { type ReadBytes, checkedBytes } from "./checked-bytes.ts";
import type { Descriptor } from "./descriptor.ts";
import type { RegistryClient } from "./registry-client.ts";
import { resumedBytes } from "./resumed-bytes.ts";

/** The bytes of a blob, checked; where a connection breaks they go on with another one. Throws RegistryFault. */
export function readBlob(
  client: RegistryClient,
  blob: Pick<Descriptor, "digest" | "size">,
): ReadBytes {
  const ask = async (headers: Readonly<Record<string, string>>) =>
    await client.get(`blobs/${blob.digest}`, headers);
  return checkedBytes(blob, (from) => resumedBytes(blob.size, from, ask));
}
