import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { IsolationFault } from "./isolation-fault.ts";
import { openNamespaces } from "./open-namespaces.ts";
import { openNetwork } from "./open-network.ts";
import { freshProcScript } from "./sandbox-script.ts";
import { textIn } from "./text-in.ts";

const run = promisify(execFile);

/** What builds of images have here: whether they have many ids, and why they have no network, if so. */
export type Isolation = { readonly hasManyIds: boolean; readonly noNetwork: string | undefined };

/** Tries what keeps builds of images apart from this host. Throws IsolationFault. */
export async function tryIsolation(firstId: number, path: string): Promise<Isolation> {
  const namespaces = await openNamespaces({ firstId, path });
  try {
    const { enter, hasManyIds, pid } = namespaces;
    const apart = [
      "unshare",
      "--mount",
      "--pid",
      "--fork",
      "--",
      "mount",
      "-t",
      "proc",
      "proc",
      "/proc",
    ];
    await run("sh", ["-c", freshProcScript, "svc-proc", ...enter, ...apart], {
      cwd: "/",
      env: { PATH: path, LC_ALL: "C" },
    }).catch((error: unknown) => {
      const said = textIn(error, "stderr").split("\n")[0] ?? "";
      throw new IsolationFault(`a /proc of its own cannot be mounted: ${said}`);
    });
    const network = await openNetwork(pid, path);
    if ("missing" in network) return { hasManyIds, noNetwork: network.missing };
    network.close();
    return { hasManyIds, noNetwork: undefined };
  } finally {
    namespaces.close();
  }
}
