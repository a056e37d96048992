import type { ShownComponent, ShownImageUpdate } from "../../../shared/api/components.ts";
import { formatAge } from "../../output/format-age.ts";
import type { View } from "../../output/print.ts";
import { partDetails } from "./part-view.ts";

const { members, ...first } = partDetails.columns;

/** A component, with what its active config says of it, and the image that it follows. */
export const componentDetails: View<ShownComponent> = {
  nameOf: ({ name }) => name,
  columns: {
    ...first,
    "update policy": ({ image_update: update }) => (update ? policyOf(update) : ""),
    "newest image": ({ image_update: update }) => (update ? foundOf(update) : ""),
    members,
  },
};

function policyOf({ policy, emitter_id: emitter, paused }: ShownImageUpdate): string {
  if (emitter === null) return `${policy}, not looked at yet`;
  return paused
    ? `${policy}, looked at no more: ${emitter} is paused`
    : `${policy}, looked at every 15 minutes by ${emitter}`;
}

function foundOf(update: ShownImageUpdate): string {
  const { status, status_description: why, looked_at: at, tag, digest, build_id: build } = update;
  if (at === null) return update.looking ? "is being looked at" : "not looked at yet";
  const image = digest === "" ? "" : `${tag} ${digest}`;
  const age = `${formatAge(at)} ago`;
  if (status === "failed")
    return `could not be looked at ${age}: ${why}${image && ` (before: ${image})`}`;
  return `${image}, ${age}: ${words[status](build ?? "")}`;
}

const words = {
  pending: () => "not looked at yet",
  current: () => "nothing new",
  new: (build: string) => `new, ${build} builds it`,
  tried: (build: string) =>
    `${build} did not make it, and none is begun for it again: build by hand`,
} as const;
