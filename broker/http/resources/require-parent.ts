import type { Parent } from "../../../shared/resources/parents.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { Db } from "../../database/connect.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { requireWebhook } from "../../webhooks/require-webhook.ts";

type Require = (db: Db, org: OrgId, id: string) => Promise<unknown>;

/** What tells that there is none of what a resource is under. */
export const requireParent: Readonly<Record<Parent, Require>> = {
  app: requireApp,
  install: requireInstall,
  webhook: requireWebhook,
};
