import { z } from "zod";
import { filesOfArchive } from "../../app-configs/work/archive-files.ts";
import { type Checked, type CheckAsked, checkConfig } from "../../app-configs/work/check-config.ts";
import { folderOfFiles } from "../../app-configs/work/folder-of-files.ts";
import { partsDocument } from "../../app-configs/work/parts-document.ts";
import type { ConfigSource } from "../../app-configs/work/require-valid.ts";
import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";
import { validateBody } from "../gate/validate.ts";
import { jsonOf } from "./json-of.ts";
import { mostValues, requireFewJsonParts } from "./require-few-json-parts.ts";

/** In which form a config came: as a body that is an archive or a document, or as parts that were stored. */
export type ConfigForm = "archive" | "document" | "parts";

/** Reads and checks a config that is the first of the bytes; the second is the document that it is compared with, if there is one. */
export async function checkConfigBody({
  asked,
  bytes: [source = Buffer.alloc(0), before],
}: WorkGiven<CheckAsked & { readonly form: ConfigForm }>): Promise<WorkDone<Checked>> {
  return await checkConfig(asked, await sourceOf(asked.form, source), before);
}

async function sourceOf(form: ConfigForm, bytes: Buffer): Promise<ConfigSource> {
  if (form === "archive") return await archived(bytes);
  if (form === "parts") return { document: partsDocument(bytes) };
  return { document: documentIn(bytes) };
}

/** A directory; one that says all in its JSON document has the folders that are built besides. */
async function archived(bytes: Buffer): Promise<ConfigSource> {
  const archive = await filesOfArchive(bytes);
  const folder = folderOfFiles(archive);
  const { document, readSources, root } = folder;
  const refuseLinks = (directories: readonly string[]): void => {
    const built = directories.map((one) => root + (one === "" ? "" : `${one}/`));
    archive.refuseLinks((name) => built.some((one) => name.startsWith(one)));
  };
  if (document === undefined) return { folder, refuseLinks };
  return { document: documentIn(Buffer.from(document)), readSources, refuseLinks };
}

function documentIn(bytes: Buffer): unknown {
  if (bytes.length > mostValues) requireFewJsonParts(bytes, mostValues);
  const { value } = jsonOf(bytes, { surface: "control-plane", permission: "apps.write" });
  return validateBody(documentSchema, value);
}

const documentSchema = z.record(z.string(), z.unknown());
