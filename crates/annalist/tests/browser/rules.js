// What every page of the cockpit keeps to; run in the page, gives what is wrong. Nothing that was crawled can make an
// element, an attribute or an address of its own here: whatever looks like one of those came through as markup.
const frames = arguments[0];
const wrong = [...(window.refused || []).map((what) => `refused by the policy: ${what}`)];
if (window.canary !== undefined) wrong.push(`a canary ran: ${window.canary}`);
const say = (what, element) => wrong.push(`${what}: ${element.outerHTML.slice(0, 300)}`);
const origin = (address) => (URL.canParse(address, location.href) ? new URL(address, location.href).origin : "no address");
const ours = (address) => [location.origin, frames].includes(origin(address));

for (const element of document.querySelectorAll("*")) {
  for (const { name, value } of element.attributes) {
    if (/^on|^style$|^srcdoc$/.test(name)) say(`attribute ${name}`, element);
    if (/^(href|src|action|formaction|data|poster|background|ping|xlink:href)$/.test(name)) {
      if (!ours(value)) say(`leads to ${value}`, element);
    }
  }
}
for (const element of document.querySelectorAll("style, base, object, embed, template, math, foreignObject, canary, meta[http-equiv]")) {
  // A page that waits may load itself again.
  if (!/^refresh$/i.test(element.httpEquiv || "") || /url/i.test(element.content)) say("no element of ours", element);
}
for (const script of document.querySelectorAll("script")) {
  if (script.getAttribute("src") !== "/static/annalist.js" || script.textContent) say("no script of ours", script);
}
for (const frame of document.querySelectorAll("iframe, frame")) {
  const inside = frame.getAttribute("sandbox");
  if (inside === null || /allow-scripts|allow-top/.test(inside)) say("a frame that may do too much", frame);
  if (origin(frame.src) !== frames) say("a frame of somebody", frame);
}

// For keyboards and screen readers.
if (document.querySelectorAll("h1").length !== 1) wrong.push("not one heading of the page");
if (!document.title.trim() || !document.documentElement.lang) wrong.push("no title, or no language");
let level = 1;
for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
  const next = Number(heading.tagName[1]);
  if (next > level + 1) say("a heading skips a level", heading);
  level = next;
}
for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
  const named = field.labels.length || field.getAttribute("aria-label") || field.getAttribute("aria-labelledby");
  if (!named) say("a field without a label", field);
}
for (const named of document.querySelectorAll("a[href], button, summary")) {
  const name = named.textContent.trim() || named.getAttribute("aria-label") || named.querySelector("svg title");
  if (!name) say("nothing to read out", named);
}
for (const table of document.querySelectorAll("table")) {
  if (!table.querySelector("th[scope]")) say("a table without headers", table);
}
for (const image of document.querySelectorAll("img:not([alt]), svg:not([aria-label]):not([aria-hidden]), iframe:not([title])")) {
  say("nothing says what it shows", image);
}
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
for (const id of new Set(ids.filter((id, place) => ids.indexOf(id) !== place))) wrong.push(`twice: id ${id}`);
for (const label of document.querySelectorAll("label[for]")) {
  if (!document.getElementById(label.htmlFor)) say("a label of nothing", label);
}
return wrong;
