import { TemplateFault } from "./parse-pipeline.ts";
import type { TemplateBranch, TemplateDefinition, TemplateNode } from "./template-nodes.ts";

/** Of all that templates may read: `$`, and `.` where no block has another. */
export const wholeSlot = 0;

/** A block that is open, or the text as a whole. */
export type Frame = {
  readonly word: string;
  readonly at: number;
  /** Not another program's template: its `end` is ours, too. */
  readonly isOurs: boolean;
  readonly branches: TemplateBranch[];
  readonly outerDot: number;
  dot: number;
  /** Where its nodes go: those of another program's block stand in the block around it. */
  nodes: TemplateNode[];
  /** Variables that end with it; those of its heads, which all its branches see, come first. */
  readonly declared: string[];
  heads: number;
  /** What is known outside of the template that it defines, and not in it. */
  readonly outside: Map<string, number[]> | undefined;
};

/** Of our own blocks: they are rendered one within another. */
export const mostBlocks = 64;

/** The blocks that are open at a place of a text, and the variables that are set there. */
export class TemplateScopes {
  readonly #frames: [Frame, ...Frame[]];
  readonly #loops: Frame[] = [];
  readonly #ours: Frame[] = [];
  #slots = new Map<string, number[]>();
  /** What `$` is. */
  #whole = wholeSlot;
  #definition: TemplateDefinition | undefined;
  #count = 1;
  #depth = 0;

  constructor(nodes: TemplateNode[]) {
    this.#frames = [makeFrame({ word: "", at: 0, isOurs: false, dot: wholeSlot, nodes })];
  }

  get frame(): Frame {
    return this.#frames.at(-1) ?? this.#frames[0];
  }

  /** The first of our own that is not closed, from within. */
  get openBlock(): Frame | undefined {
    return this.#ours.at(-1);
  }

  /** Whether the loop around is ours. */
  get isInRange(): boolean {
    return this.#loops.at(-1)?.isOurs === true;
  }

  readonly slotOf = (name: string): number | undefined => {
    if (name === ".") return this.frame.dot;
    return name === "$" ? this.#whole : this.#slots.get(name)?.at(-1);
  };

  newSlot(): number {
    return this.#count++;
  }

  declare(name: string): number {
    const slot = this.newSlot();
    const slots = this.#slots.get(name);
    if (slots === undefined) this.#slots.set(name, [slot]);
    else slots.push(slot);
    this.frame.declared.push(name);
    return slot;
  }

  /** Another program's block: what its dot is there, no one knows here; after an `else` it is that around it. */
  openOther(word: string, at: number): void {
    const { dot, nodes } = this.frame;
    const own = word === "if" ? dot : wholeSlot;
    const outerDot = word === "define" || word === "block" ? wholeSlot : dot;
    this.#open(makeFrame({ word, at, isOurs: false, dot: own, outerDot, nodes }));
  }

  openOurs(word: string, at: number, branches: TemplateBranch[]): Frame {
    const frame = makeFrame({ word, at, isOurs: true, dot: this.frame.dot, nodes: [], branches });
    this.#open(frame);
    this.#depth++;
    if (this.#depth > mostBlocks)
      throw new TemplateFault(at, `at most ${mostBlocks} blocks may be within one another`);
    return frame;
  }

  /** The template that is being defined: it knows no variables of the text around it. */
  get definition(): TemplateDefinition | undefined {
    return this.#definition;
  }

  openDefinition(definition: TemplateDefinition, word: string, at: number): void {
    const { dot, nodes } = definition;
    const frame = { word, at, isOurs: true, dot, nodes, outside: this.#slots };
    this.#open(makeFrame(frame));
    this.#slots = new Map();
    this.#whole = dot;
    this.#definition = definition;
  }

  beginBranch(branch: TemplateBranch): void {
    const { frame } = this;
    frame.branches.push(branch);
    frame.nodes = branch.nodes;
    frame.dot = branch.dot ?? frame.outerDot;
    frame.heads = frame.declared.length;
  }

  /** What a branch has set ends with it; what its block's heads have set does not. */
  endBranch(): Frame {
    const { frame } = this;
    if (frame !== this.#frames[0]) this.#forget(frame, frame.heads);
    frame.dot = frame.outerDot;
    return frame;
  }

  close(): void {
    const { frame } = this;
    if (frame === this.#frames[0]) return;
    this.#forget(frame, 0);
    this.#frames.pop();
    if (frame === this.#loops.at(-1)) this.#loops.pop();
    if (frame === this.#ours.at(-1)) this.#ours.pop();
    if (frame.outside !== undefined) {
      this.#slots = frame.outside;
      this.#whole = wholeSlot;
      this.#definition = undefined;
    } else if (frame.isOurs) this.#depth--;
  }

  #open(frame: Frame): void {
    this.#frames.push(frame);
    if (frame.word === "range") this.#loops.push(frame);
    if (frame.isOurs) this.#ours.push(frame);
  }

  #forget({ declared }: Frame, kept: number): void {
    for (const name of declared.splice(kept)) this.#slots.get(name)?.pop();
  }
}

type Begun = Pick<Frame, "word" | "at" | "isOurs" | "dot" | "nodes"> & {
  readonly branches?: TemplateBranch[];
  readonly outside?: Frame["outside"];
  readonly outerDot?: number;
};

const makeFrame = ({ branches = [], outside, outerDot, ...begun }: Begun): Frame => ({
  ...begun,
  outside,
  branches,
  outerDot: outerDot ?? begun.dot,
  declared: [],
  heads: 0,
});
