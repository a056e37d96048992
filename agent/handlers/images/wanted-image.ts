import { invalidPlan } from "../../jobs/job-failure.ts";
import { type Reference, shownReference } from "../../registry/reference.ts";
import type { RegistryIdentity } from "../../registry/registry-identity.ts";
import { placeReference, type RegistryPlace } from "../../registry/registry-place.ts";
import type { ImageOrder } from "./image-order.ts";

/** An artifact in a plan, and who signs in to its registry. */
export type WantedPlace = {
  readonly reference: Reference;
  readonly identity: RegistryIdentity;
  /** For people, without credentials. */
  readonly shown: string;
};

/** What a plan wants of registries; the places are those of the order, whose credentials are still to be had. */
export type WantedImage = {
  readonly order: ImageOrder["does"];
  readonly from: WantedPlace;
  readonly to?: WantedPlace;
  /** "The image x cannot be copied": what failed, to begin a sentence. */
  readonly failed: string;
};

/** A place that a plan has to name. Throws JobFailure. */
export function wantedPlace(place: RegistryPlace | undefined, name: string): WantedPlace {
  if (place === undefined) {
    throw invalidPlan(
      `${name} is missing: name a registry and a repository, as ${name}.loginServer and .repository`,
    );
  }
  const { identity, ...location } = place;
  const reference = placeReference(location, name);
  return { reference, identity, shown: shownReference(reference) };
}

/** A place under whose tag something is written. Throws JobFailure. */
export function targetPlace(
  place: RegistryPlace | undefined,
  tagName: string,
): WantedPlace & { readonly tag: string } {
  if (place !== undefined && !place.tag) throw invalidPlan(`${tagName} is missing`);
  const wanted = wantedPlace(place && { ...place, digest: undefined }, "dst_registry");
  return { ...wanted, tag: wanted.reference.tag ?? "" };
}
