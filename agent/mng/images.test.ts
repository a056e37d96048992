import { describe, expect, test } from "vitest";
import { imageFault, wantedImage } from "./images.ts";

const allowed = ["registry.example.com:5000/acme/svc-agent"];
const digest = `sha256:${"a".repeat(64)}`;

describe("images that a host runs", () => {
  test.each([`${allowed[0]}:1.4.0`, `${allowed[0]}@${digest}`])("%s is allowed", (image) => {
    expect(imageFault(image, allowed)).toBeUndefined();
  });

  test.each([
    allowed[0] ?? "",
    `${allowed[0]}:`,
    `${allowed[0]}:a b`,
    `${allowed[0]}@sha256:abc`,
    `${allowed[0]}-evil:1.4.0`,
    `${allowed[0]}/more:1.4.0`,
    "registry.example.com/acme/svc-agent:1.4.0",
    "--privileged",
    "-v/:/host:1",
    "",
  ])("%j is not", (image) => {
    expect(imageFault(image, allowed)).toBeDefined();
  });

  test("are named by the settings' repository and tag, or digest", () => {
    const settings = { container_image_url: "a/b", container_image_tag: "1" };
    expect(wantedImage(settings)).toBe("a/b:1");
    expect(wantedImage({ ...settings, container_image_tag: digest })).toBe(`a/b@${digest}`);
    expect(wantedImage({ ...settings, container_image_tag: "" })).toBe("");
  });
});
