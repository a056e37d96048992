// What pages do by themselves. Without this script they are as complete, only still.
const restMs = 1000;
const again = { firstMs: 1000, longestMs: 30_000 };

/** How far this machine's clock is from the broker's. */
const skewMs = Date.now() - Number(document.body.dataset.now);

const main = () => document.getElementById("main");
const pauseButton = () => document.querySelector("[data-pause]");
const isPaused = () => pauseButton()?.getAttribute("aria-pressed") === "true";

let source;
let isStale = false;
let refreshedAtMs = 0;
let timer;

/** Fetches the changed part again, a second after the last one was there; later if nobody looks. */
function refresh() {
  if (isPaused() || document.hidden) {
    isStale = true;
    return;
  }
  if (timer !== undefined) return;
  timer = setTimeout(
    () => {
      timer = undefined;
      isStale = false;
      refreshedAtMs = Date.now();
      const shown = main();
      if (shown?.dataset.live !== undefined) globalThis.htmx?.trigger(shown, "changed");
    },
    Math.max(0, refreshedAtMs + restMs - Date.now()),
  );
}

document.addEventListener("htmx:finally:request", () => (refreshedAtMs = Date.now()));

let waitMs = again.firstMs;
let isLost = false;

/** Waits to be told what changed; a lost connection is opened again, later each time. */
function listen() {
  const topics = main()?.dataset.live;
  source?.close();
  source = undefined;
  if (!topics || document.hidden || isPaused()) {
    isLost = true;
    return show("Paused");
  }
  const query = new URLSearchParams(topics.split(" ").map((topic) => ["topic", topic]));
  source = new EventSource(`/live?${query}`);
  source.addEventListener("open", () => {
    waitMs = again.firstMs;
    show("Live");
    // What changed meanwhile was told to nobody.
    if (isLost) refresh();
    isLost = false;
  });
  source.addEventListener("message", refresh);
  source.addEventListener("error", ({ target }) => {
    if (target !== source) return;
    isLost = true;
    show("Not connected");
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, waitMs);
    waitMs = Math.min(waitMs * 2, again.longestMs);
  });
}

function show(text) {
  const button = pauseButton();
  if (button && button.textContent !== text) button.textContent = text;
}

const units = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
];

function durationText(seconds) {
  let left = Math.max(0, Math.round(seconds));
  const parts = [];
  for (const [name, size] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? "0 s" : parts.join(" ");
}

function agoText(seconds) {
  const text = durationText(Math.abs(seconds));
  if (text === "0 s") return "now";
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** Ages grow by themselves. */
function age() {
  if (document.hidden) return;
  for (const time of document.querySelectorAll("time[data-ago], time[data-since]")) {
    const seconds = (Date.now() - skewMs - Date.parse(time.dateTime)) / 1000;
    const whole = "since" in time.dataset ? durationText(seconds) : agoText(seconds);
    if (time.textContent !== whole) time.textContent = whole;
  }
}

document.addEventListener("visibilitychange", () => {
  listen();
  if (!document.hidden && isStale) refresh();
});

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-pause]") : null;
  if (!button) return;
  button.setAttribute("aria-pressed", String(!isPaused()));
  listen();
  if (!isPaused()) refresh();
});

/** `/` goes to the first field, j and k through a table's rows. */
document.addEventListener("keydown", (event) => {
  const at = document.activeElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement) return;
  if (event.key === "/") {
    const field = document.querySelector("main input:not([type=hidden]), main select");
    if (!field) return;
    event.preventDefault();
    field.focus();
  }
  if (event.key !== "j" && event.key !== "k") return;
  const links = [...document.querySelectorAll("main tbody th a")];
  if (links.length === 0) return;
  const next = links.indexOf(at) + (event.key === "j" ? 1 : -1);
  links[Math.min(Math.max(next, 0), links.length - 1)].focus();
});

setInterval(age, 1000);
listen();
