// Keeps numbers fresh and checks a spec as it is typed. Pages are whole without it. Text only ever goes into textContent.
"use strict";

const count = new Intl.NumberFormat("en");
function bytes(n) {
  if (n < 1000) return `${n} B`;
  let unit = "B";
  for (const next of ["kB", "MB", "GB", "TB", "PB"]) {
    if (n < 999.5) break;
    n /= 1000;
    unit = next;
  }
  return `${n < 10 ? n.toFixed(1) : n.toFixed(0)} ${unit}`;
}
const shown = {
  bytes, stored_bytes: bytes,
  pages_per_second: (n) => n.toFixed(1),
  harvest_ratio: (n) => (n === null ? "–" : `${Math.round(n * 100)} %`),
  mean_score: (n) => (n === null ? "–" : n.toFixed(2)),
  state: (text) => text,
  waits_for: (text) => (text ? `waits for ${text}` : ""),
};

// Whether the service answers, said above the page. One that was started anew refuses the forms of pages that it made before:
// these are loaded again, unless somebody has typed something.
const connection = {
  isLost: false,
  isTyped: false,
  say(text, isOver) {
    const said = document.createElement("p");
    said.textContent = text;
    if (isOver) {
      const link = document.createElement("a");
      link.href = location.pathname + location.search;
      link.textContent = "Load the page again";
      said.append(" ", link);
    }
    document.getElementById("connection")?.replaceChildren(said);
  },
  lost() {
    if (!this.isLost) this.say("The connection to the service is lost; trying again.", false);
    this.isLost = true;
  },
  back() {
    if (!this.isLost) return;
    this.isLost = false;
    if (!this.isTyped) return void location.reload();
    this.say("The service answers again. It may refuse the forms of this page: copy what you have typed first.", true);
  },
  over() { this.say("The service tells nothing more of this page: you may have to log in again.", true); },
};
for (const kind of ["input", "change"]) document.addEventListener(kind, () => { connection.isTyped = true; }, true);

// This page once more; nothing where it cannot be had.
async function pageAnew() {
  try {
    const answer = await fetch(location.href);
    if (answer.status >= 500) throw new Error("not now");
    const text = await answer.text();
    connection.back();
    if (answer.ok && !answer.redirected) return text;
    connection.over();
  } catch {
    connection.lost();
  }
  return null;
}

// A stream holds a connection, and a browser has six for all its tabs of one host: it is open only while somebody looks.
function stream(address, listeners) {
  let source = null;
  const close = () => { source?.close(); source = null; };
  const turn = () => {
    if (document.visibilityState !== "visible") return close();
    if (source) return;
    source = new EventSource(address());
    for (const [name, listen] of Object.entries(listeners)) source.addEventListener(name, listen);
    source.onopen = () => connection.back();
    // One that was refused is not tried again by the browser.
    source.onerror = (event) => (event.target.readyState === EventSource.CLOSED ? connection.over() : connection.lost());
  };
  document.addEventListener("visibilitychange", turn);
  addEventListener("pagehide", close);
  addEventListener("pageshow", turn);
  turn();
  return () => { document.removeEventListener("visibilitychange", turn); removeEventListener("pageshow", turn); close(); };
}

for (const box of document.querySelectorAll("[data-live-source]")) {
  // The page may have been made just before a change that was asked for.
  const kind = (is_running, state) => `${is_running} ${state === "paused"} ${state === "finishing"}`;
  const shownKind = kind(true, box.dataset.liveState);
  const end = stream(() => box.dataset.liveSource, {
    status(event) {
      const now = JSON.parse(event.data);
      // Other buttons, and other words, belong to another state.
      if (kind(now.is_running, now.state) !== shownKind) return location.reload();
      if (now.state === "paused") delete now.state;
      for (const place of box.querySelectorAll("[data-live]")) {
        const key = place.dataset.live;
        if (!(key in now)) continue;
        if (key === "state") place.className = `badge ${now.state === "running" ? "good" : "busy"}`;
        // What nothing is known of is not shown before something is.
        if (place.parentElement.dataset.known !== undefined) place.parentElement.hidden = now[key] === null;
        const text = key in shown ? shown[key](now[key]) : count.format(now[key]);
        if (place.textContent !== text) place.textContent = text;
      }
    },
    // It is not asked for again and again.
    gone() { end(); location.assign("/"); },
  });
}

// A log grows at its head, by the filters it was asked with. What came while nobody looked is told on return.
for (const box of document.querySelectorAll("[data-log-source]")) {
  const most = 200;
  const rows = box.querySelector("tbody");
  const address = new URL(box.dataset.logSource, location.href);
  const reached = (event) => address.searchParams.set("after", event.lastEventId);
  box.querySelector(".live").hidden = false;
  const end = stream(() => address.href, {
    line(event) {
      reached(event);
      const happened = JSON.parse(event.data);
      const row = document.createElement("tr");
      row.className = happened.severity;
      for (const key of ["time", "severity", "subsystem", "message"]) row.insertCell().textContent = happened[key];
      row.cells[0].className = "time";
      row.cells[0].textContent = happened.time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*Z$/, "$1 $2");
      rows.prepend(row);
      while (rows.rows.length > most) rows.lastElementChild.remove();
      box.querySelector(".empty")?.remove();
      box.querySelector("table").hidden = false;
    },
    place: reached,
    gap() { end(); location.reload(); },
    gone() { end(); location.assign("/"); },
  });
}

// Who follows a link in a captured page, or goes back in it, sees above it what is known of the page that is there now. The
// service knows which one that is; where it does not, this is said. The page itself waits for what its frame shows first.
let isWhole = document.readyState === "complete";
addEventListener("load", () => { isWhole = true; });
for (const frame of document.querySelectorAll("iframe.replay[data-view]")) {
  let last = 0;
  frame.addEventListener("load", async () => {
    if (!isWhole) return;
    const own = ++last;
    let page = null;
    try {
      const answer = await fetch(`${location.pathname}?view=${frame.dataset.view}`);
      if (answer.ok) page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { /* It is said below. */ }
    if (own !== last) return;
    if (!page?.querySelector(".banner")) {
      document.querySelector(".followed").hidden = false;
      return;
    }
    for (const place of [".banner", ".beside", ".why"]) {
      const fresh = page.querySelector(place)?.childNodes ?? [];
      document.querySelector(place)?.replaceChildren(...[...fresh].map((node) => document.importNode(node, true)));
    }
    // What no frame shows is offered in its place. The frame stays: who goes back sees it again.
    const offered = page.querySelector(".unframed");
    const wasInside = document.activeElement === frame;
    document.querySelector(".unframed")?.remove();
    frame.hidden = offered !== null;
    if (offered) frame.before(document.importNode(offered, true));
    if (offered && wasInside) document.querySelector(".unframed a").focus();
    for (const name of ["url", "at"]) document.getElementById(name).value = page.getElementById(name).value;
    frame.title = page.querySelector("iframe.replay")?.title ?? frame.title;
  });
}

for (const area of document.querySelectorAll("textarea[data-check]")) {
  const verdict = document.getElementById(area.getAttribute("aria-describedby"));
  let waiting = 0;
  area.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const checked = await checkedAt(area.dataset.check, { spec: area.value }, verdict);
      if (!checked) return;
      verdict.replaceChildren();
      area.form.querySelector("#summary")?.remove();
      const list = document.createElement("ul");
      list.className = "mistakes";
      for (const [kind, found] of [["bad", checked.mistakes], ["busy", checked.warnings]]) {
        for (const one of found) {
          const item = document.createElement("li");
          item.className = kind;
          item.textContent = `${one.line ? `line ${one.line}: ` : ""}${one.field}: ${one.detail}`;
          list.append(item);
        }
      }
      const word = document.createElement("p");
      word.className = checked.is_good ? "good" : "bad";
      word.textContent = checked.is_good ? "There is nothing wrong with it." : "Not yet:";
      verdict.append(word, list);
    }, 300);
  });
}

// The same for the fields of a form: what is wrong stands beside each.
for (const box of document.querySelectorAll("[data-check-fields]")) {
  const form = box.closest("form");
  let waiting = 0;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const fields = {};
      for (const input of box.querySelectorAll("[name^=f_]")) fields[input.name.slice(2)] = input.value;
      const checked = await checkedAt(box.dataset.checkFields, { spec: form.elements.spec.value, fields }, document.getElementById("verdict"));
      if (!checked) return;
      for (const place of box.querySelectorAll("[data-error]")) {
        const wrong = checked.mistakes.filter((one) => one.field === place.dataset.error).map((one) => one.detail).join("; ");
        if (place.textContent !== wrong) place.textContent = wrong;
        const input = box.querySelector(`[name=f_${place.dataset.error}]`);
        if (wrong) input.setAttribute("aria-invalid", "true"); else input.removeAttribute("aria-invalid");
      }
      // What was said of it when it was sent holds no longer.
      for (const told of form.querySelectorAll("#summary [data-of]")) told.hidden = !checked.mistakes.some((one) => one.field === told.dataset.of);
      if (checked.is_good) form.querySelector("#summary")?.remove();
      const word = document.createElement("p");
      word.className = checked.is_good ? "good" : "bad";
      word.textContent = checked.is_good ? "There is nothing wrong with it." : "Not yet: look at what is marked.";
      document.getElementById("verdict").replaceChildren(word);
    }, 300);
  });
}

for (const file of document.querySelectorAll("input[data-into]")) {
  file.addEventListener("change", async () => {
    const area = document.getElementById(file.dataset.into);
    if (file.files.length === 0) return;
    if (!area) return void file.form.submit();
    area.value = await file.files[0].text();
    area.dispatchEvent(new Event("input"));
  });
}

// A verdict on what is typed; none is better than one on what stood there before.
async function checkedAt(address, body, verdict) {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  try {
    const answer = await fetch(address, init);
    if (answer.ok) return await answer.json();
  } catch { /* It is said below. */ }
  const word = document.createElement("p");
  word.className = "busy";
  word.textContent = "It cannot be checked at the moment.";
  verdict.replaceChildren(word);
  return null;
}

// A part of a page that says how something goes, until it says that it is over.
for (const first of document.querySelectorAll("[data-refresh]")) {
  let part = first;
  const look = async () => {
    const text = await pageAnew();
    if (text !== null) {
      const page = new DOMParser().parseFromString(text, "text/html");
      const fresh = page.getElementById(part.id);
      if (!fresh) return;
      if (!fresh.dataset.refresh) return void location.reload();
      part.replaceWith(fresh);
      part = fresh;
      reachable(part);
    }
    setTimeout(look, Number(part.dataset.refresh));
  };
  setTimeout(look, Number(part.dataset.refresh));
}

// What is wider than the screen is moved by keys, too.
function reachable(part) {
  for (const box of part.querySelectorAll(".wide-table")) {
    const reach = () => { if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; else box.removeAttribute("tabindex"); };
    new ResizeObserver(reach).observe(box);
  }
}
reachable(document);

// Parts that change while a crawl runs are taken from the same page, made anew. Nobody loses a place: what has the focus, is
// being selected, or has a button below the pointer waits for the next time.
function isInUse(part) {
  const selection = getSelection();
  if (!selection.isCollapsed && selection.containsNode(part, true)) return true;
  return part.contains(document.activeElement) || part.querySelector(":is(td, li, .buttons):hover button") !== null;
}

function renew(part, fresh) {
  const moved = [...part.querySelectorAll(".wide-table")].map((box) => box.scrollLeft);
  part.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
  [...part.querySelectorAll(".wide-table")].forEach((box, place) => { box.scrollLeft = moved[place] ?? 0; });
  reachable(part);
}

{
  const parts = () => [...document.querySelectorAll("[data-fresh]")];
  const seen = new Map();
  const take = async () => {
    const text = await pageAnew();
    if (text === null) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    // What waited for its turn runs now, with other buttons.
    const isLive = (where) => where.querySelector("[data-live-source]") !== null;
    if (isLive(page) && !isLive(document)) return location.reload();
    for (const part of parts()) {
      const fresh = page.querySelector(`[data-fresh="${CSS.escape(part.dataset.fresh)}"]`);
      if (!fresh || isInUse(part)) continue;
      if (fresh.dataset.every) part.dataset.every = fresh.dataset.every; else delete part.dataset.every;
      if (seen.get(part) !== fresh.innerHTML) renew(part, fresh);
      seen.set(part, fresh.innerHTML);
    }
  };
  // The next is asked for when the last has been answered.
  const later = () => {
    const every = Math.min(...parts().map((part) => Number(part.dataset.every) || Infinity));
    if (Number.isFinite(every)) setTimeout(look, every);
  };
  const look = async () => {
    if (document.visibilityState === "visible") await take();
    later();
  };
  later();
}

// One key for one button. One that is held judges one page, not all that come after it.
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const button = [...document.querySelectorAll("button[data-key]")].find((one) => one.dataset.key === event.key);
  if (button) button.click();
});
