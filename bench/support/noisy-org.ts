import type { Db } from "../../broker/database/connect.ts";
import { send } from "../../test/support/broker/broker.ts";
import { givenToken } from "../../test/support/rows/given-token.ts";
import { givenOrg, givenRunner } from "../../test/support/rows/given.ts";
import { givenWebhook } from "../../test/support/webhooks/given-webhooks.ts";
import type { Abuse } from "./abuser.ts";
import { heavyTemplate, largeConfig, noisyApp, noisyArchives } from "./noisy-configs.ts";

const labels = 60;

/** An org with apps, an install and so many webhooks at a receiver; and what it sends without end. */
export async function givenNoisyOrg(
  db: Db,
  url: string,
  dead: { readonly url: string; readonly webhooks: number },
) {
  const orgId = await givenOrg(db);
  const token = await givenToken(db, { orgId });
  const make = async (what: string, body: object): Promise<string> => {
    const answer = await send<{ id: string }>(url, what, { token, body });
    if (answer.status !== 201) throw new Error(`${what}: ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  };
  const app = await make("POST /v1/apps", { name: "noise" });
  await make(`POST /v1/apps/${app}/configs/sync`, noisyApp);
  const costly = await make("POST /v1/apps", { name: "costly" });
  const large = await make("POST /v1/apps", { name: "large" });
  const config = await make(`POST /v1/apps/${large}/configs/sync`, largeConfig);
  const { groupId } = await givenRunner(db, { orgId });
  const body = { name: "noise", inputs: {}, runner_group_id: groupId };
  const install = await make(`POST /v1/apps/${app}/installs`, body);
  for (let n = 0; n < dead.webhooks; n += 1) {
    await givenWebhook(db, { orgId, url: `${dead.url}${n}` });
  }
  const at = { url, token, install, costly, large, config };
  return { orgId, abuses: [...syncs(at), ...renders(at), ...reads(at)] };
}

type At = Readonly<Record<"url" | "token" | "install" | "costly" | "large" | "config", string>>;

function syncs({ url, token, costly }: At): Abuse[] {
  const sync = {
    method: "POST",
    token,
    type: "application/gzip",
    paths: [`${url}/v1/apps/${costly}/configs/sync`],
  };
  return [
    { ...sync, kind: "names of 64,000 parts", clients: 1, bytes: noisyArchives.deepNames },
    {
      ...sync,
      kind: "legal configs of 14 MB, a template a line",
      clients: 3,
      bytes: noisyArchives.templates,
    },
    {
      ...sync,
      kind: "configs of 135,000 unknown keys",
      clients: 1,
      bytes: noisyArchives.unknownKeys,
    },
  ];
}

function renders({ url, token, install }: At): Abuse[] {
  const many = Array.from({ length: labels }, (_, n) => [`l${n}`, heavyTemplate(40)] as const);
  const post = { method: "POST", token };
  return [
    {
      ...post,
      kind: "sixty templates as labels",
      clients: 8,
      paths: [`${url}/v1/installs/${install}/labels`],
      body: JSON.stringify({ labels: Object.fromEntries(many) }),
    },
    {
      ...post,
      kind: "runs of a template at its bound",
      clients: 2,
      paths: [`${url}/v1/installs/${install}/actions/runs`],
      body: JSON.stringify({ name: "heavy" }),
      restMs: 500,
    },
    {
      kind: "readmes at their bound",
      clients: 4,
      method: "GET",
      token,
      paths: [`${url}/v1/installs/${install}/readme`],
    },
  ];
}

function reads({ url, token, large, config }: At): Abuse[] {
  const at = `${url}/v1/apps/${large}`;
  const paths = [`${at}/configs/${config}`, `${at}/latest-config`, `${at}/actions`];
  return [{ kind: "reads of a large config", clients: 4, method: "GET", token, paths }];
}
