// Follows an open log: fetches only new lines, in pages, and keeps the last of them.
const mostLines = 5000;
const pagesAtOnce = 5;
const nearEndPx = 40;
const again = { firstMs: 1000, longestMs: 30_000 };

const log = document.getElementById("log");
const follow = document.querySelector("[data-follow]");
const latest = document.querySelector("[data-latest]");
const filters = new URLSearchParams(location.search);
for (const place of ["at", "from", "before"]) filters.delete(place);

let isFollowing = false;
let isFetching = false;
let isStale = false;
let source;
let timer;
let waitMs = again.firstMs;

const isAtEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < nearEndPx;
const toEnd = () => (log.scrollTop = log.scrollHeight);

/** A line that is on another page: the page around it is opened. */
function openLine() {
  const number = /^#L(\d+)$/.exec(location.hash)?.[1];
  if (!number) return false;
  const line = document.getElementById(`L${number}`);
  const asked = new URLSearchParams(location.search).get("at");
  if (!line && asked !== number) location.replace(`${location.pathname}?at=${number}#L${number}`);
  line?.scrollIntoView({ block: "center" });
  return true;
}

async function fetchPage(query) {
  const response = await fetch(`${location.pathname}?${query}`, {
    headers: { "hx-request": "true" },
  });
  if (!response.ok || response.headers.has("hx-redirect")) throw new Error("not available");
  const text = await response.text();
  return new DOMParser().parseFromString(text, "text/html").getElementById("log");
}

/** New lines, a page at a time; a log that is faster than that is shown from its end. */
async function fetchNew() {
  isStale = true;
  if (isFetching || !isFollowing) return;
  isFetching = true;
  try {
    for (let pages = 0; isStale; pages++) {
      isStale = false;
      if (!isFollowing) break;
      const query = new URLSearchParams(filters);
      if (pages < pagesAtOnce) query.set("from", log.dataset.next);
      const fresh = await fetchPage(query);
      const count = take(fresh, pages >= pagesAtOnce);
      if (pages < pagesAtOnce && count > 0 && fresh.dataset.next) isStale = true;
    }
    waitMs = again.firstMs;
  } catch {
    isStale = true;
    show("Not connected");
    listenLater();
  } finally {
    isFetching = false;
  }
}

function take(fresh, isAnew) {
  const isNear = isAtEnd();
  const blocks = [...fresh.querySelectorAll(".block")];
  const count = blocks.reduce((sum, block) => sum + block.childElementCount, 0);
  if (count > 0) {
    log.querySelector(":scope > p")?.remove();
    if (isAnew) log.replaceChildren(...blocks);
    else log.append(...blocks);
    dropOldest();
    if (isNear) toEnd();
    latest.hidden = isNear;
  }
  if (fresh.dataset.next) log.dataset.next = fresh.dataset.next;
  else end();
  return count;
}

/** The document holds so many lines; older ones are a link away. */
function dropOldest() {
  const blocks = [...log.querySelectorAll(".block")];
  let lines = blocks.reduce((sum, block) => sum + block.childElementCount, 0);
  for (const block of blocks) {
    if (lines - block.childElementCount < mostLines) break;
    lines -= block.childElementCount;
    block.remove();
  }
  const first = log.querySelector(".line")?.id.slice(1);
  if (!first || first === "1") return;
  const query = new URLSearchParams(filters);
  query.set("before", first);
  const link = document.createElement("a");
  link.className = "button";
  link.href = `${location.pathname}?${query}`;
  link.textContent = "Older lines";
  document.getElementById("older").replaceChildren(link);
}

function show(text) {
  if (follow.textContent !== text) follow.textContent = text;
}

/** A connection that is open asks for what is new at once; a lost one is opened again, later each time. */
function listen() {
  clearTimeout(timer);
  source?.close();
  source = undefined;
  if (!isFollowing || document.hidden) return;
  source = new EventSource(`/live?topic=log:${log.dataset.stream}`);
  source.addEventListener("open", () => {
    show("Following");
    void fetchNew();
  });
  source.addEventListener("message", () => void fetchNew());
  source.addEventListener("error", ({ target }) => {
    if (target !== source) return;
    show("Not connected");
    if (source.readyState === EventSource.CLOSED) listenLater();
  });
}

function listenLater() {
  clearTimeout(timer);
  timer = setTimeout(listen, waitMs);
  waitMs = Math.min(waitMs * 2, again.longestMs);
}

function setFollowing(is) {
  isFollowing = is;
  follow.setAttribute("aria-pressed", String(is));
  show(is ? "Following" : "Follow");
  listen();
}

/** It was closed and is read to its end. */
function end() {
  setFollowing(false);
  follow.hidden = true;
  latest.hidden = true;
  const said = document.createElement("span");
  said.className = "dim";
  said.textContent = "The end";
  document.getElementById("newer").firstElementChild?.replaceWith(said);
}

if (log) {
  const isPlaced = openLine();
  const isTail = "tail" in log.dataset;
  if (isTail && !isPlaced) toEnd();
  if ("open" in log.dataset && isTail && log.dataset.next) {
    follow.hidden = false;
    setFollowing(!isPlaced);
  }
  globalThis.addEventListener("hashchange", openLine);
  follow.addEventListener("click", () => {
    setFollowing(!isFollowing);
    if (isFollowing) toEnd();
  });
  latest.addEventListener("click", () => {
    setFollowing(true);
    latest.hidden = true;
    toEnd();
  });
  log.addEventListener("scroll", () => {
    if (isAtEnd()) latest.hidden = true;
    else if (isFollowing && log.scrollTop < (log.dataset.top ?? 0)) {
      setFollowing(false);
      latest.hidden = false;
    }
    log.dataset.top = log.scrollTop;
  });
  document.addEventListener("visibilitychange", listen);
}
