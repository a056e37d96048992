import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { newId } from "../database/new-id.ts";
import { type Acting, chooseRole, type ChosenRole } from "./choose-role.ts";

export type RoleUsageDraft = ChosenRole & { readonly id: string };

/** What is written with a job of an install: as whom it runs. */
export function draftRoleUsage(config: AppConfigDocument, acting: Acting): RoleUsageDraft {
  return { id: newId("iru"), ...chooseRole(config, acting) };
}
