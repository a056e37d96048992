import {
  type RenderBudget,
  renderLimits,
  type RenderWork,
} from "../../shared/app-config/templates/render-work.ts";
import { planAction } from "../actions/action-plan.ts";
import { planDeploy } from "../deploys/plan/plan-deploy.ts";
import { planImageCopy } from "../deploys/plan/plan-image-copy.ts";
import { planSecrets } from "../install-secrets/plan/plan-secrets.ts";
import { mostOutputBytes, mostRecordedBytes } from "../installs/known-outputs.ts";
import { renderLabels } from "../installs/render-labels.ts";
import { renderReadme } from "../installs/render-readme.ts";
import { renderShownState, renderState } from "../installs/render-state.ts";
import type { StateValues } from "../installs/state-values.ts";

/**
 * Renders what is given, which is JSON, with values of an install, and counts it; where its budget is spent, or values are missing,
 * what it gives is not whole.
 */
export type Rendering<Given, Rendered> = (
  given: Given,
  values: StateValues,
  work: RenderWork,
) => Rendered;

/** All that a broker renders, by name: the same function for what is small and for what is not. */
export const renderings = {
  labels: renderLabels,
  readme: renderReadme,
  plan: planAction,
  deploy: planDeploy,
  "image-copy": planImageCopy,
  secrets: planSecrets,
  state: renderState,
  "shown-state": renderShownState,
} as const;

/** What one rendering may take. What people read is shorter. */
export const budgets: Readonly<Record<RenderingName, RenderBudget>> = {
  labels: renderLimits,
  readme: { ...renderLimits, outputBytes: 2 * 2 ** 20 },
  plan: renderLimits,
  deploy: renderLimits,
  "image-copy": renderLimits,
  secrets: renderLimits,
  state: renderLimits,
  "shown-state": renderLimits,
};

/** How something is rendered besides. */
export type RenderingWay = {
  /** It has all outputs in it; others are rendered with those for which they ask. */
  readonly readsAll: boolean;
  /** How many bytes of outputs may be read for it. */
  readonly most: number;
  /** Long texts of it are passed on as the bytes that a child made. */
  readonly keepsBytes?: true;
};

const onDemand: RenderingWay = { readsAll: false, most: mostOutputBytes };

/** How each is rendered. */
export const renderingWays: Readonly<Record<RenderingName, RenderingWay>> = {
  labels: onDemand,
  readme: onDemand,
  plan: onDemand,
  deploy: onDemand,
  "image-copy": onDemand,
  secrets: onDemand,
  state: { readsAll: true, most: mostRecordedBytes },
  "shown-state": { readsAll: true, most: mostOutputBytes, keepsBytes: true },
};

export type Renderings = typeof renderings;
export type RenderingName = keyof Renderings;
export type GivenOf<Name extends RenderingName> = Parameters<Renderings[Name]>[0];
export type RenderedOf<Name extends RenderingName> = ReturnType<Renderings[Name]>;
