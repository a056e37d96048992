import type { ConfigReads } from "../../shared/app-config/config-reads.ts";
import { OrgByteCache } from "../app-configs/org-byte-cache.ts";
import { requireText } from "../app-configs/show-configs.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";

const mebibyte = 2 ** 20;
const known = new OrgByteCache<ConfigReads>({
  mostBytes: 16 * mebibyte,
  mostBytesOfOrg: 4 * mebibyte,
});

/** In which order what a config has is deployed, and what of it reads which inputs: found out in a child process, for it parses every template. */
export async function findConfigReads(
  { db, work }: Pick<Broker, "db" | "work">,
  org: OrgId,
  configId: string,
): Promise<ConfigReads> {
  const found = known.get(org, configId);
  if (found !== undefined) return found;
  const bytes = [Buffer.from(await requireText(db, org, configId))];
  const read = await work.run({ orgId: org, kind: "configs.reads", asked: {}, bytes });
  const [text = new Uint8Array()] = read.bytes;
  const value = JSON.parse(Buffer.from(text).toString("utf8")) as ConfigReads; // as the child wrote it
  known.set(org, configId, { value, bytes: text.length });
  return value;
}
