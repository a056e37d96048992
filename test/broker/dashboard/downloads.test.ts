import { expect, test } from "vitest";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenRun } from "../../support/browser/given-job-views.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const dashboard = await givenDashboard("org_admin", { env: { SVC_RATE_TOKEN_PER_S: "1" } });
const { broker, db, orgId, link } = dashboard;

test("a download that the API refuses is a refusal, and never saved as the log", async () => {
  const { jobId, write } = await givenRun(dashboard);
  await write([{ body: "all there is" }]);
  const refused: number[] = [];
  // A token has ten requests, and each download takes some of them: each of these may be the one too many.
  for (const before of [0, 1]) {
    const token = await givenToken(db, { orgId });
    const cookie = await signIn(await link(token));
    for (let n = 0; n < before; n++) await broker.call("GET /v1/runner-jobs", { token });
    for (let n = 0; n < 6; n++) {
      const answer = await fetch(`${broker.url}/jobs/${jobId}/log/download`, {
        headers: { cookie },
      });
      const text = await answer.text();
      const isSaved = answer.headers.has("content-disposition");
      expect({ status: answer.status, isSaved, isLog: text.includes("all there is") }).toEqual(
        answer.status === 200
          ? { status: 200, isSaved: true, isLog: true }
          : { status: 429, isSaved: false, isLog: false },
      );
      if (answer.status === 429) refused.push(before);
    }
  }
  expect(refused).not.toEqual([]);
});
