import type { GivenWire, Ids } from "./given-wire.ts";
import type { WireCall } from "./wire-call.ts";

/** A token of a person who may make tokens; all of them are of one account. */
const person: NonNullable<WireCall["token"]> = ({ adminToken }) => Promise.resolve(adminToken);
const staticToken = { name: "laptop", duration: "24h" };
async function ownStaticToken({ adminToken: token, call }: GivenWire): Promise<Ids> {
  const made = { token, body: staticToken };
  return { token_id: (await call<{ id: string }>("POST /v1/account/static-token", made)).body.id };
}

const robot = ({ fresh }: GivenWire) => ({ name: fresh(), role: "org_read_only" });
async function ownRobot(given: GivenWire): Promise<Ids> {
  return { account_id: (await given.made("POST /v1/service-accounts", robot(given))).id };
}
async function ownJourney({ adminToken: token, call, fresh }: GivenWire): Promise<Ids> {
  const name = fresh();
  const body = { name, title: "Start", steps: [{ name: "org", title: "Make an org" }] };
  await call("POST /v1/account/user-journeys", { token, body });
  return { journey_name: name, step_name: "org" };
}
const ofJourney: WireCall = { token: person, ids: ownJourney };

const ofUser: WireCall = {
  ids: ownRobot,
  body: (_, { account_id }) => ({ user_id: account_id }),
};

/** Calls of accounts, their tokens, and an org's people and features. */
export const accountCalls: Readonly<Record<string, WireCall>> = {
  createStaticToken: { token: person, body: () => staticToken },
  listStaticTokens: { token: person, ids: ownStaticToken },
  deleteStaticToken: { token: person, ids: ownStaticToken },
  listUserJourneys: ofJourney,
  createUserJourney: {
    token: person,
    body: ({ fresh }) => ({
      name: fresh(),
      title: "Start",
      steps: [{ name: "org", title: "Make an org" }],
    }),
  },
  completeUserJourney: ofJourney,
  resetUserJourney: ofJourney,
  updateUserJourneyStep: {
    ...ofJourney,
    body: () => ({ complete: true, metadata: { seen: true } }),
  },
  joinWaitlist: { token: person, body: ({ fresh }) => ({ org_name: fresh() }) },
  createServiceAccount: { body: robot },
  updateServiceAccount: { ids: ownRobot, body: ({ fresh }) => ({ name: fresh() }) },
  setServiceAccountRole: { ids: ownRobot, body: () => ({ role: "org_support" }) },
  deleteServiceAccount: { ids: ownRobot },
  createServiceAccountToken: { ids: ownRobot, body: () => ({}) },
  setOrgAccountRole: { ids: ownRobot, body: () => ({ role_type: "org_support" }) },
  addOrgUser: ofUser,
  removeOrgUser: ofUser,
  updateOrgFeatures: { body: () => ({ features: { prevent_self_approval: false } }) },
  getOrgRunnerGroup: {
    ids: async ({ made, fresh }) => ({
      runner_group_id: (await made("POST /v1/runner-groups", { name: fresh(), type: "org" })).id,
    }),
  },
  listCloudRegions: { ids: () => ({ cloud_platform: "aws" }) },
};
