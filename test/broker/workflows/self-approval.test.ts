import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type Caller,
  failedStep,
  failing,
  givenPeople,
  waitingStep,
} from "../../support/workflows/given-people.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const given = await givenWorkflowsApi();
const { db } = given;
type People = Awaited<ReturnType<typeof givenPeople>>;

let org: People;
beforeAll(async () => {
  org = await givenPeople(given);
});
afterEach(() => org.cancelAll());
const refusal = { status: 403, body: { code: "self_approval" } };
const forbid = (prevents: boolean) =>
  org.api("PATCH /v1/orgs/current", { prevent_self_approval: prevents });

/** Who begins a workflow, and who then is the same people; the third could approve it. */
type Door = readonly [
  string,
  (people: People) => Promise<{ readonly id: string; readonly same: Caller }>,
];

const accountOf = async (maker: Caller) =>
  (await maker.api<{ id: string }>("POST /v1/accounts", { name: "ci", roles: ["org_admin"] })).body
    .id;

/** Has a workflow fail after its approval. */
async function stalled({ x, z, reach }: People): Promise<string> {
  const id = await x.begin(failing);
  expect((await z.respond(await waitingStep(org, id))).status).toBe(201);
  await reach(id, "failed-pending-retry");
  return id;
}
const doors: readonly Door[] = [
  ["who began it", async ({ x }) => ({ id: await x.begin(), same: x })],
  [
    "another of their own tokens",
    async ({ x }) => ({
      id: await x.begin(),
      same: await x.mint({ kind: "pat", role: undefined, account_id: x.id }),
    }),
  ],
  [
    "a token that they made before",
    async ({ x }) => {
      const same = await x.mint();
      return { id: await x.begin(), same };
    },
  ],
  [
    "a token that they make after",
    async ({ x }) => ({ id: await x.begin(), same: await (await x.mint()).mint() }),
  ],
  ["the maker of the token", async ({ x }) => ({ id: await (await x.mint()).begin(), same: x })],
  [
    "the maker of a token that was revoked since",
    async ({ x }) => {
      const token = await x.mint();
      const id = await token.begin();
      expect((await x.api(`DELETE /v1/tokens/${token.id}`)).status).toBe(200);
      return { id, same: x };
    },
  ],
  [
    "another token of that maker",
    async ({ x }) => ({ id: await (await x.mint()).begin(), same: await x.mint() }),
  ],
  [
    "the token that took its place",
    async ({ x }) => {
      const token = await x.mint();
      return { id: await token.begin(), same: await token.rotate(token.id) };
    },
  ],
  [
    "the token whose place it took, by many rotations",
    async ({ x }) => {
      const token = await x.mint();
      let last = token;
      for (let n = 0; n < 3; n++) {
        last = await last.rotate(last.id);
        await last.api("GET /v1/roles"); // it is in use
      }
      return { id: await last.begin(), same: token };
    },
  ],
  [
    "who rotated the token",
    async ({ x, y }) => {
      const token = await x.mint();
      return { id: await (await y.rotate(token.id)).begin(), same: y };
    },
  ],
  [
    "a token of an account that they made for a machine",
    async ({ x, y }) => {
      const account_id = await accountOf(x);
      return { id: await x.begin(), same: await y.mint({ account_id }) };
    },
  ],
  [
    "another token of the same account",
    async ({ x, y, api }) => {
      const account_id = (
        await api<{ id: string }>("POST /v1/accounts", { name: "ci", roles: ["org_admin"] })
      ).body.id;
      const token = await x.mint({ account_id });
      return { id: await token.begin(), same: await y.mint({ account_id }) };
    },
  ],
  [
    "who asked for another plan",
    async ({ x, y }) => {
      const id = await x.begin();
      expect((await y.respond(await waitingStep(org, id), "retry")).status).toBe(201);
      await expect.poll(async () => (await waitingStep(org, id)).retry_index).toBe(1);
      return { id, same: y };
    },
  ],
  [
    "who retried a step of it",
    async (people) => {
      const id = await stalled(people);
      const step = await failedStep(people, id);
      const retried = await people.y.api(`POST /v1/workflows/${id}/steps/${step.id}/retry`);
      expect(retried.status).toBe(201);
      return { id, same: people.y };
    },
  ],
  [
    "who resumed it, by a token",
    async (people) => {
      const id = await stalled(people);
      const step = await failedStep(people, id);
      await people.z.api(`POST /v1/workflows/${id}/steps/${step.id}/cancel`);
      await people.reach(id, "error");
      const token = await people.y.mint();
      expect((await token.api(`POST /v1/workflows/${id}/resume`)).status).toBe(201);
      return { id, same: people.y };
    },
  ],
];

describe("where the org has somebody else approve, a workflow is not approved by", () => {
  test.each(doors)("%s", async (_, open) => {
    const { id, same } = await open(org);
    const step = await waitingStep(org, id);
    expect(await same.respond(step)).toMatchObject(refusal);
    expect(await same.approveAll(id)).toMatchObject(refusal);
    expect((await waitingStep(org, id)).id).toBe(step.id);
    expect((await org.z.respond(step)).status).toBe(201);
    await org.reach(id, "success", "failed-pending-retry");
  });
});

test("who skips a step, is invited or denies does not stand behind a workflow", async () => {
  const { x, y, z } = org;
  const id = await stalled(org);
  const step = await failedStep(org, id);
  expect((await y.api(`POST /v1/workflows/${id}/steps/${step.id}/skip`)).status).toBe(201);
  await org.reach(id, "success");
  const own = await waitingStep(org, await x.begin());
  expect((await x.respond(own, "deny")).status).toBe(201); // to refuse oneself is no approval
  await org.reach(own.workflow_id, "error");
  const [row] = await db<{ chain: string[] }[]>`select chain from workflows where id = ${id}`;
  expect(row?.chain).toEqual([x.id]);
  expect(row?.chain).not.toContain(z.id);
});

describe("the org's setting", () => {
  test("counts as it was at the begin", async () => {
    const id = await org.x.begin();
    const step = await waitingStep(org, id);
    expect((await forbid(false)).status).toBe(200);
    expect(await org.x.respond(step)).toMatchObject(refusal);
    await forbid(true);
  });

  test("counts as it is now, and is off unless it is set", async () => {
    await forbid(false);
    const [first, second] = [await org.x.begin(), await org.x.begin()];
    const [step, next] = [await waitingStep(org, first), await waitingStep(org, second)];
    expect((await org.x.respond(step)).status).toBe(201);
    await org.reach(first, "success");
    await forbid(true);
    expect(await org.x.respond(next)).toMatchObject(refusal);
    expect(
      (await org.x.api(`PATCH /v1/workflows/${second}`, { approval_option: "prompt" })).status,
    ).toBe(200);
    const fresh = await given.setup();
    expect((await fresh.api("GET /v1/orgs/current")).body).toMatchObject({
      prevent_self_approval: false,
    });
  });

  test("counts for a workflow of a version before, whose chain nobody wrote down", async () => {
    const token = await org.x.mint();
    const id = await token.begin();
    const step = await waitingStep(org, id);
    await db`
      update workflows set chain = null, prevents_self_approval = false, version = version + 1 where id = ${id}`;
    expect(await org.x.respond(step)).toMatchObject(refusal);
    expect(await (await org.x.mint()).approveAll(id)).toMatchObject(refusal);
    expect((await org.y.respond(step)).status).toBe(201);
    await org.reach(id, "success");
  });
});
