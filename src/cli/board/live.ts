/** What a browser runs: when something has changed, it asks for the page again and puts its main part in place. */
export const LIVE_SCRIPT = `"use strict";
const events = new EventSource("/events");
let isDue = false;
async function refresh() {
  const main = document.getElementById("main");
  if (document.hidden || main.contains(document.activeElement)) return;
  isDue = false;
  const answer = await fetch(location.href, { credentials: "same-origin" });
  if (!answer.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  main.replaceWith(document.adoptNode(next.getElementById("main")));
  document.querySelector("footer").replaceWith(document.adoptNode(next.querySelector("footer")));
}
function due() { isDue = true; refresh().catch(() => undefined); }
events.addEventListener("change", due);
for (const name of ["visibilitychange", "focusout"])
  document.addEventListener(name, () => { if (isDue) setTimeout(due, 200); });
`;
