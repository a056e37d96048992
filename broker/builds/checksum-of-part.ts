import { canonicalJson, checksumOf } from "../../shared/app-config/canonical-json.ts";
import type { ComponentPart, SandboxPart } from "./component-part.ts";

/** Tells apart what configs say of a component or the sandbox. */
export const checksumOfPart = (part: ComponentPart | SandboxPart | undefined): string =>
  checksumOf(canonicalJson(part ?? null));
