import { expect, test } from "vitest";
import { imageAddress } from "./image-address.ts";

test.each([
  ["nginx", undefined, ["docker.io", "library/nginx", undefined]],
  ["nginx:1.27", "", ["docker.io", "library/nginx", "1.27"]],
  ["docker.io/nginx:1", undefined, ["docker.io", "library/nginx", "1"]],
  ["acme/app:v1", undefined, ["docker.io", "acme/app", "v1"]],
  ["acme/app", "r.example", ["r.example", "acme/app", undefined]],
  ["ghcr.io/acme/app:v1@sha256:0", "r.example", ["ghcr.io", "acme/app", "v1"]],
  ["localhost/app", undefined, ["localhost", "app", undefined]],
  ["127.0.0.1:5000/a/b:v1", undefined, ["127.0.0.1:5000", "a/b", "v1"]],
])("%s on %s is %j", (image, given, address) => {
  const { server, repository, tag } = imageAddress(image, given);
  expect([server, repository, tag]).toEqual(address);
});
