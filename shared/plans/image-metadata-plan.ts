import { z } from "zod";
import { registry, text } from "./plan-members.ts";

/** An image whose metadata is asked for. */
export const imageMetadataPlan = z.looseObject({ registry, tag: text });
