import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";

/** A component as a checked config has it. */
export type ComponentPart = NonNullable<AppConfigDocument["components"]>[number];
/** The sandbox as a checked config has it. */
export type SandboxPart = NonNullable<AppConfigDocument["sandbox"]>;
