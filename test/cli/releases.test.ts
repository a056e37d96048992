import { expect, test } from "vitest";
import type { HelmChart, HelmRelease } from "../../shared/api/helm-charts.ts";
import { send } from "../support/broker/broker.ts";
import { startCommandLine } from "../support/programs/command-line.ts";

const record =
  '{"name":"web", "version":3,"info":{"status":"deployed"},"manifest":"kind: Deployment"}';

test("svc release lists what helm keeps here, and shows a record byte for byte", async () => {
  const cli = await startCommandLine();
  const call = <Body>(what: string, body: unknown) =>
    send<Body>(cli.url, what, { token: cli.token, body });
  expect((await cli.run("release list")).err).toContain("No releases found.");
  const chart = (await call<HelmChart>("POST /v1/helm-charts", {})).body.id;
  const path = `/v1/helm-releases/${chart}/releases/apps/sh.helm.release.v1.web.v3`;
  const { id } = (await call<HelmRelease>(`POST ${path}`, record)).body;

  const listed = await cli.run(`release list --chart ${chart} --status deployed --namespace apps`);
  expect(listed.out).toMatch(/^ID +NAME +NAMESPACE +VERSION +STATUS +CHART +WRITTEN\n/);
  expect(listed.out).toMatch(new RegExp(`${id} +web +apps +3 +deployed +${chart}`));
  expect((await cli.run("release list --status failed")).err).toContain("No releases found.");
  expect((await cli.run(`release show ${id}`)).out).toMatch(/name +web in apps\n/);
  expect((await cli.run(`release show ${id} --record`)).out).toBe(`${record}\n`);
});
