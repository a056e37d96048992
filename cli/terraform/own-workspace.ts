import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import {
  createWorkspaceRoute,
  listWorkspacesRoute,
} from "../../shared/api/terraform-workspaces.ts";
import type { Caller } from "../command.ts";
import type { Screen } from "../output/screen.ts";

/** Whose the workspaces are that people use from a folder of theirs. */
export const ownerType = "svc-terraform";

export type OwnWorkspace = { readonly id: string; readonly ownerId: string };

/** The workspace of a folder and a name: the one of an earlier time, or a new one. An id of a workspace is that one. */
export async function findOwnWorkspace(
  { call, screen }: { readonly call: Caller; readonly screen: Screen },
  folder: string,
  name: string,
): Promise<OwnWorkspace> {
  const ownerId = await ownerOf(folder, name);
  if (name.startsWith("tfw_")) return { id: name, ownerId };
  const known = await findOldest(call, ownerId);
  if (known !== undefined) return { id: known, ownerId };
  const body = { owner_id: ownerId, owner_type: ownerType };
  const { body: made } = await call(createWorkspaceRoute, { body });
  screen.say(`${made.id} keeps the state of ${folder} (${name}).`);
  // Two who make one at the same time find the same one from here on.
  return { id: (await findOldest(call, ownerId)) ?? made.id, ownerId };
}

/** The same folder of the same machine, by whatever path it is named. */
async function ownerOf(folder: string, name: string): Promise<string> {
  const place = await realpath(folder).catch(() => path.resolve(folder));
  const digest = createHash("sha256").update(`${hostname()}\0${place}`).digest("hex");
  return `${path.basename(place).slice(0, 60)}:${name.slice(0, 60)}:${digest.slice(0, 16)}`;
}

async function findOldest(call: Caller, ownerId: string): Promise<string | undefined> {
  const query = { owner_id: ownerId, limit: 100 };
  const { items } = (await call(listWorkspacesRoute, { query })).body;
  return items.findLast(({ owner_type: type }) => type === ownerType)?.id;
}
