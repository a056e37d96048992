import type { HtmlEscapedString } from "hono/utils/html";
import type { Route, RouteBody, RouteInput } from "../../shared/api/route.ts";
import type { Permission } from "../../shared/permissions.ts";
import type { Actor } from "../tokens/actor.ts";
import type { LiveTopic } from "./live/live-topics.ts";

/** A piece of a page. What is put into a template is escaped, unless it is one of these. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What a page has to work with. It reads and acts by the API alone, as whoever is signed in. */
export type View = {
  readonly actor: Actor;
  /** The page's own address with its query: `/jobs?status=failed`. */
  readonly address: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** A parameter of the path. */
  readonly param: (name: string) => string;
  readonly can: (permission: Permission) => boolean;
  /** Calls a route of shared/api/ in this process; throws RequestRefused. */
  readonly ask: <R extends Route>(route: R, input: RouteInput<R>) => Promise<RouteBody<R>>;
  /** By the database's clock. */
  readonly nowMs: number;
};

/** What a page shows. */
export type Shown = {
  readonly title: string;
  readonly main: Html;
  /** What changes it: it is fetched again when one of these is told. */
  readonly live?: readonly LiveTopic[];
  /** 200 unless told. */
  readonly status?: number;
};

/** A page that is read. */
export type Page = {
  /** `/jobs/{job_id}` */
  readonly path: string;
  readonly permission: Permission | null;
  /** Its entry in the navigation; pages without one are reached from others. */
  readonly nav?: { readonly label: string; readonly icon: string };
  /**
   * It is the same for all of an org with the same permissions, and tells nobody a secret: when many have it open, what changes is
   * made once for them all. It cannot read `actor`.
   */
  readonly isShared?: boolean;
  readonly render: (view: View) => Promise<Shown>;
};

/** What is asked before something is done. */
export type Question = {
  readonly title: string;
  /** What will happen, and what not. */
  readonly text: Html | string;
  /** Fields of the form: a reason, a time. */
  readonly fields?: Html;
  /** What the button says: a verb and what it acts on. */
  readonly button: string;
  readonly isDangerous?: boolean;
  /** Where "Back" leads. */
  readonly back: string;
};

/** What was done, in one sentence, and where to go on. */
export type Done = {
  readonly said: string;
  readonly to: string;
  /** What undoes it, where it can be undone. */
  readonly undo?: { readonly label: string; readonly action: string };
};

/**
 * Something that is done: a GET of its path asks, a POST does it. When a field is wrong (422), or somebody else was faster (412), it asks
 * again, with what was entered.
 */
export type Action = {
  readonly path: string;
  readonly permission: Permission;
  /** Who has one of these in place of `permission` is let in, too: what is asked depends on the thing, and `ask` demands it. */
  readonly or?: readonly Permission[];
  /** Where "Back" leads when it is refused; to the page above its path unless told. */
  readonly back?: (view: View) => string;
  readonly ask: (view: View, entered: URLSearchParams) => Promise<Question>;
  /** What was done; or what is shown of it once, such as a secret, in answer to the form itself. */
  readonly run: (view: View, form: URLSearchParams) => Promise<Done | Shown>;
};
