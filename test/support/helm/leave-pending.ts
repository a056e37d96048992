import { gunzipSync, gzipSync } from "node:zlib";
import type { Namespace } from "../cluster/given-namespace.ts";

/** Makes a revision of the release `app` look as helm leaves it that is killed: with this status, and these labels. */
export async function leaveAs(
  { kubectl }: Namespace,
  [revision, status]: readonly [number, string],
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const name = `sh.helm.release.v1.app.v${revision}`;
  const text = await kubectl(["get", "secret", name, "-o", "jsonpath={.data.release}"]);
  const packed = Buffer.from(Buffer.from(text, "base64").toString(), "base64");
  const record = JSON.parse(gunzipSync(packed).toString()) as { info: { status: string } };
  record.info.status = status;
  const again = gzipSync(JSON.stringify(record)).toString("base64");
  const release = Buffer.from(again).toString("base64");
  const metadata = { labels: { status, ...labels } };
  const patch = JSON.stringify({ metadata, data: { release } });
  await kubectl(["patch", "secret", name, "--type=merge", "-p", patch]);
}
