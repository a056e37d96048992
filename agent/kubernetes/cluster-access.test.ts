import { expect, test } from "vitest";
import { ofPod } from "./cluster-access.ts";

test("a job without a cluster says by which flag, and by which member of a plan, one is named", async () => {
  await expect(ofPod({})).rejects.toThrow(/--kubeconfig or --context.*cluster_info/);
});
