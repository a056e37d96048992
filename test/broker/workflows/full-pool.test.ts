import { expect, onTestFinished, test } from "vitest";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
  stepIn,
} from "../../support/workflows/workflows-api.ts";

const { setup, brokers } = await givenWorkflowsApi({ env: { SVC_WORK_PROCESSES: "1" } });

/** Its plan is so long that a child process looks into it before it is carried out. */
const long = {
  name: "long",
  approval: true,
  steps: ["one", "two"].map((name) => ({ name, command: `echo ${"x".repeat(60_000)}` })),
};
const config = { ...shopConfig, actions: { ...shopConfig.actions, "long.toml": long } };

/** Bytes of which the last one never comes: who gets them has a place for as long. */
const stuck = () => ({
  sizeBytes: 2,
  async *pieces() {
    yield Buffer.from("{");
    await new Promise<never>(() => {});
  },
});

/** Fills the pool until the test is over: this org may have no more of such work, and whoever asks waits. */
function fillPool(orgId: string): void {
  const leaving = new AbortController();
  const work = { orgId, kind: "plans.outline", asked: {} } as const;
  const held = brokers.flatMap(({ broker }) =>
    [1, 2, 3].map(() => broker.work.run({ ...work, bytes: [stuck()] }, leaving.signal)),
  );
  const ended = Promise.allSettled(held);
  onTestFinished(async () => {
    leaving.abort();
    await ended;
  });
}

test.each(["its own org", "another org"])(
  "a workflow is cancelled, and moved by all other requests, while the pool is full of work of %s",
  async (whose) => {
    const org = await setup(config);
    const other = await setup();
    const { installId } = await givenInstall(org);
    const begun = await Promise.all([1, 2].map(() => org.run(installId, "long")));
    const [first = "", second = ""] = begun.map(({ body }) => body.workflow_id);
    const asking = [
      await org.reach(first, "approval-awaiting"),
      await org.reach(second, "approval-awaiting"),
    ];
    fillPool(whose === "its own org" ? org.orgId : other.orgId);
    for (const workflow of asking) {
      const step = stepIn(workflow, "approval-awaiting");
      const answer = await org.respond(step, { response_type: "approve" });
      expect(answer).toMatchObject({ status: 201, body: { outcome: "applied" } });
    }
    const pending = (at: number) => asking[at]?.steps.at(-1)?.id ?? "";
    const [of, ofSecond] = [`/v1/workflows/${first}`, `/v1/workflows/${second}`];
    const read = await other.api("GET /v1/installs");
    const asked = {
      read: read.status,
      option: (await org.api(`PATCH ${of}`, { approval_option: "approve-all" })).status,
      retry: (await org.api(`POST ${of}/steps/${pending(0)}/retry`)).body.code,
      skip: (await org.api(`POST ${of}/steps/${pending(0)}/skip`)).body.code,
      resume: (await org.api(`POST ${of}/resume`)).body.code,
      cancelStep: (await org.api(`POST ${ofSecond}/steps/${pending(1)}/cancel`)).status,
      cancel: (await org.api(`POST ${of}/cancel`)).status,
    };
    expect(asked).toEqual({
      read: 200,
      option: 200,
      retry: "not_retryable",
      skip: "not_skippable",
      resume: "not_resumable",
      cancelStep: 202,
      cancel: 202,
    });
    await org.reach(first, "cancelled");
    await org.reach(second, "error");
  },
);
