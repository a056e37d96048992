import { symlink } from "node:fs/promises";
import path from "node:path";
import type { Fleet } from "../broker/given-fleet.ts";
import { agentProgram } from "../programs/present-programs.ts";
import { givenManagedHost, type ManagedHost } from "./given-managed-host.ts";
import { startUserSystemd, type UserSystemd } from "./start-user-systemd.ts";

export type SystemdHost = ManagedHost & {
  readonly systemd: UserSystemd;
  /** The link through which the unit starts the agent. */
  readonly link: string;
};

type Unit = {
  /** What the unit's command line has before the link. */
  readonly before?: readonly string[];
  /** Where the link points at first. */
  readonly program?: string;
};

/** A host whose agent is a unit like deploy/svc-agent.service, which starts it through a link. */
export async function givenSystemdHost(
  fleet: Fleet,
  { before = [process.execPath], program = agentProgram }: Unit = {},
): Promise<SystemdHost> {
  const systemd = await startUserSystemd();
  const host = await givenManagedHost(fleet);
  const link = path.join(host.versionsDir, "current");
  await symlink(program, link);
  const command = [...before, link, "start", "--config", host.agentConfig];
  await systemd.putUnit(
    "svc-agent.service",
    [
      "[Unit]\nStartLimitIntervalSec=0\n[Service]\nType=exec",
      `ExecStart=${command.join(" ")}`,
      "Restart=on-failure\nRestartSec=1\nKillMode=process",
      "RestartPreventExitStatus=64 77 78\nSuccessExitStatus=130 131 143\n",
    ].join("\n"),
  );
  const startMng: ManagedHost["startMng"] = (more = {}) =>
    host.startMng({ "mng-driver": "systemd", "mng-unit-scope": "user", ...more }, systemd.env);
  return { ...host, systemd, link, startMng };
}
