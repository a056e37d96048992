import { createHash } from "node:crypto";
import type { StoredValues } from "../installs/state-values.ts";
import type { Renderer } from "../rendering/renderer.ts";
import type { GivenOf, RenderedOf, RenderingName } from "../rendering/renderings.ts";
import { NotKnown } from "./not-known.ts";

type RenderSource = {
  readonly of: string;
  readonly name: RenderingName;
  readonly given: unknown;
  readonly values: StoredValues;
  /** Of what it reads. */
  readonly digest: string;
};

/** What is rendered for one thing, by the thing; throws `NotKnown` where it is not yet. */
export type ReadRendered = <Name extends RenderingName>(
  of: string,
  name: Name,
  wanted: { readonly given: GivenOf<Name>; readonly values: StoredValues },
) => RenderedOf<Name>;

/** More than a workflow has steps: decisions that never end in one are a bug. */
const mostRenders = 2_000;

/** What was rendered for one move of a workflow: before it is decided, once, and again only where what it reads has changed. */
export class Renders {
  readonly #render: Renderer;
  readonly #orgId: string;
  readonly #done = new Map<string, { readonly digest: string; readonly rendered: unknown }>();
  #count = 0;

  constructor(render: Renderer, orgId: string) {
    this.#render = render;
    this.#orgId = orgId;
  }

  readonly read: ReadRendered = (of, name, { given, values }) => {
    const text = JSON.stringify(given);
    const digest = createHash("sha256").update(values.digest).update(text).digest("base64");
    const found = this.#done.get(`${name} ${of}`);
    if (found?.digest !== digest)
      throw new NotKnown(`${name} of ${of}`, () => this.#find({ of, name, given, values, digest }));
    return found.rendered as never; // as its row has it
  };

  /** Renders what a decision needs: nobody is kept from moving the workflow meanwhile. */
  async #find({ of, name, given, values, digest }: RenderSource): Promise<void> {
    this.#count += 1;
    if (this.#count > mostRenders) throw new Error(`${name} of ${of} is rendered again and again`);
    const rendered = await this.#render({
      orgId: this.#orgId,
      name,
      given: given as never, // by the reader
      values,
    });
    this.#done.set(`${name} ${of}`, { digest, rendered });
  }
}
