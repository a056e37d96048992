import { expect, test } from "vitest";
import { svc } from "../support/programs/svc.ts";
import { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const { brokers, setup } = await givenWorkflowsApi();
const [broker] = brokers;

/** An org, and its command line. */
async function given() {
  const org = await setup();
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  return { org, run: async (line: string) => await svc(line.split(" "), { env }) };
}

test("keys of labels are listed with their values", { timeout: 180_000 }, async () => {
  const { org, run } = await given();
  await org.create({ labels: { Tier: "gold" }, start: false });
  const [pairs, keys, ofApps, found] = await Promise.all([
    run("install label-keys --app shop"),
    run("install label-keys -o name"),
    run("app label-keys"),
    run("app list --label team=platform -o name"),
  ]);
  expect(pairs.out).toBe("Tier=gold\nteam=platform\n");
  expect(keys.out).toBe("Tier\nteam\n");
  expect(ofApps.out).toBe("team=platform\n");
  expect(found.out).toBe(`${org.appId}\n`);
});
