import type { GivenWire } from "./given-wire.ts";
import type { WireCall } from "./wire-call.ts";

const of = { ids: ({ deployed }: GivenWire) => deployed.ids };
const ofOther = { ids: ({ deployed }: GivenWire) => deployed.others };
const bare = {};

/** Calls of deploys and what they are of, by our name of the operation. */
export const deployCalls: Readonly<Record<string, WireCall>> = {
  getInstall: of,
  listInstallComponents: of,
  getInstallComponent: of,
  getInstallComponentOutputs: of,
  listInstallDeploysOfComponent: of,
  getLatestInstallDeployOfComponent: of,
  getInstallDeployOfComponent: of,
  listInstallDeploys: of,
  getLatestInstallDeploy: of,
  getInstallDeploy: of,
  listInstallSandboxRuns: of,
  getInstallSandboxRun: of,
  getInstallSandboxRunById: of,
  listDriftedObjects: of,
  listInstallRoleUsages: of,
  createInstallComponentDeploy: { ...of, body: () => bare },
  createInstallDeploy: {
    ...of,
    body: ({ deployed }) => ({ build_id: deployed.ids.build_id }),
  },
  deployInstallComponents: { ...of, body: () => bare },
  teardownInstallComponents: { ...of, body: () => bare },
  teardownInstallComponent: { ...of, body: () => bare },
  toggleInstallComponent: {
    ids: ({ deployed }) => deployed.toggled,
    body: () => ({ enabled: true }),
  },
  forgetInstallComponent: {
    ids: async ({ db, deployed: { others } }) => {
      await db`update workflows set status = 'cancelled', finished_at = svc_now() where owner_id = ${others.install_id}`;
      return others;
    },
    body: () => bare,
  },
  deprovisionInstallSandbox: { ...ofOther, body: () => bare },
  reprovisionInstallSandbox: { ...ofOther, body: () => bare },
};
