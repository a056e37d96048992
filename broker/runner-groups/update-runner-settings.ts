import { isDeepStrictEqual } from "node:util";
import type { RunnerSettingsChanges } from "../../shared/api/runner-settings.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type ChangeListeners, notifyChange } from "../runners/notify-change.ts";
import { findGroupSettings, type SettingsWithPlatform, writeSettings } from "./queries.ts";
import { changeSettings, storedSettings } from "./settings.ts";

type Update = {
  readonly groupId: string;
  readonly changes: RunnerSettingsChanges;
  /** Only while the settings are of this version. */
  readonly version: number | undefined;
};

const maxTries = 10;

/**
 * Changes the settings of a group: capacity follows in the same statement, and its processes are told at
 * once. Settings that stay the same keep their version. 412 when they are of another version than asked for.
 */
export async function updateRunnerSettings(
  broker: ChangeListeners & { readonly db: Db },
  org: OrgId,
  update: Update,
): Promise<SettingsWithPlatform> {
  for (let tries = 0; tries < maxTries; tries++) {
    const present = await findGroupSettings(broker.db, org, update.groupId);
    if (present === undefined) throw problem.notFound("runner group");
    if (update.version !== undefined && update.version !== present.version) {
      throw problem.preconditionFailed(
        `The settings were changed: the current version is ${present.version}.`,
      );
    }
    const old = storedSettings(present);
    const settings = changeSettings(old, update.changes);
    if (isDeepStrictEqual(settings, old)) return present;
    const { groupId } = update;
    const change = await writeSettings(broker.db, org, {
      groupId,
      version: present.version,
      settings,
    });
    if (change?.outcome !== "done") continue; // somebody else wrote this version, or deleted the group
    notifyChange(broker, org, change);
    const written = await findGroupSettings(broker.db, org, groupId);
    if (written !== undefined) return written;
  }
  throw problem.conflict(
    "settings_busy",
    "The settings are being changed by other requests. Try again.",
  );
}
