import { expect, test } from "vitest";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import {
  claimSignals,
  givenQueue,
  givenSignal,
  reportSignal,
} from "../../support/queues/given-signals.ts";

const { broker, db, orgId, link } = await givenDashboard();
const cookie = await signIn(await link());

/** Puts the dead signals of a queue back in line as the button does; what the page then says. */
async function redrive(queueId: string): Promise<string> {
  const { headers } = await fetch(`${broker.url}/queues/${queueId}/redrive`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin", cookie },
    redirect: "manual",
  });
  const said = headers.getSetCookie().find((one) => one.startsWith("svc_said="));
  return Buffer.from(said?.slice("svc_said=".length).split(";")[0] ?? "", "base64url").toString();
}

test("who puts dead signals back in line is told when others are left", async () => {
  const queue = await givenQueue(db, { orgId, maxDepth: 1 });
  for (let n = 0; n < 2; n++) {
    await givenSignal(db, queue);
    const [claimed] = await claimSignals(db, queue);
    if (claimed === undefined) throw new Error("no signal was claimed");
    await reportSignal(db, queue, claimed, "give-up");
  }
  const some = await redrive(queue.queueId);
  expect(some).toContain("Put 1 signal back in line. Others are dead still");
  await claimSignals(db, queue);
  const rest = await redrive(queue.queueId);
  expect(rest).toContain("Put 1 signal back in line.");
  expect(rest).not.toContain("Others are dead");
});
